import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { beforeDeadline } from '../before-deadline';
import type { Found, Outage, PointAlarms, ReadHow } from '../ports';
import type { Known } from './known';
import type { Memory } from './memory';

export interface RememberedReadsParts {
  readonly nodes: PointAlarms;
  readonly memory: Memory;
  /** Up to when the stream's events are taken (epoch ms). */
  readonly currentAsOf: () => number;
  readonly callDeadlineMs: number;
}

/** The most that an answer from memory may be behind (ms); beyond it the node is asked. */
const MOST_BEHIND_MS = 1_000;

/** `nodes` whose reads are answered from memory where that is current, and by the node where it is not or where the caller wants that. */
export const rememberedReads = ({ nodes, memory, currentAsOf, callDeadlineMs }: RememberedReadsParts): PointAlarms => {
  const read =
    <A>(viewOf: (known: Known) => A, ofNode: (nodeId: string) => TE.TaskEither<Outage, Found<A>>) =>
    (nodeId: string, { isFresh = false }: ReadHow = {}): TE.TaskEither<Outage, Found<A>> =>
    async () => {
      const behind = Date.now() - currentAsOf();
      if (isFresh || behind > MOST_BEHIND_MS) return ofNode(nodeId)();
      const known = memory.known(nodeId);
      if (known !== undefined) return E.right({ value: viewOf(known), age: behind / 1_000 });
      return pipe(
        beforeDeadline(callDeadlineMs, () => memory.learn(nodeId)),
        TE.map((learnt) => ({ value: viewOf(learnt) })),
      )();
    };
  return {
    send: nodes.send,
    threshold: read(({ threshold }) => threshold, nodes.threshold),
    alarmStatus: read(({ alarmStatus }) => alarmStatus, nodes.alarmStatus),
  };
};

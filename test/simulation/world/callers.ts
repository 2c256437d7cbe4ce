import * as E from 'fp-ts/Either';
import type { Outage, Sent } from '../../../api/ports';
import type { Refusal, Command } from '../../../workflows/domain/node/commands';
import type { Random } from '../../chaos/load/random';
import { commandOf } from '../../chaos/load/requests';
import type { Answer, Asked, JsonObject, Write } from '../../chaos/history';
import { after, type Host } from '../engine/host';
import type { SimulatedApi } from './api';
import type { NoteOf } from './weather';

/** A read, as its caller saw it. */
export interface Read {
  readonly nodeId: string;
  readonly of: 'alarmStatus' | 'threshold';
  /** When it was sent and answered (virtual ms). */
  readonly at: number;
  readonly answeredAt: number;
  readonly api: SimulatedApi;
  readonly isCached: boolean;
  readonly isFresh: boolean;
  readonly value: JsonObject;
  /** In seconds, of a value from the cache. */
  readonly age: number | undefined;
}

/** A write, and which API acknowledged it. */
export interface MadeWrite extends Write {
  readonly by: SimulatedApi | undefined;
}

export interface Callers {
  readonly writes: MadeWrite[];
  readonly reads: Read[];
  /** Sends a write until it has a definite answer or `until`, where it is keyed; else once. */
  readonly write: (
    nodeId: string,
    asked: Asked,
    how: { readonly isKeyed: boolean; readonly until: number },
  ) => Promise<Answer>;
  readonly read: (nodeId: string, of: Read['of'], api: SimulatedApi, isFresh: boolean) => Promise<Read | undefined>;
  readonly pause: (ms: number) => Promise<void>;
}

export interface CallersParts {
  readonly host: Host;
  readonly random: Random;
  /** An API that takes calls now. */
  readonly anyApi: () => SimulatedApi | undefined;
  /** Resolves with the end of the process. */
  readonly ended: (api: SimulatedApi) => Promise<void>;
  readonly isCached: (api: SimulatedApi) => boolean;
  readonly note: NoteOf;
}

type Answered = E.Either<Refusal | Outage, Sent> | 'gone';

const AGAIN_MS = 200;

export const createCallers = ({ host, random, anyApi, ended, isCached, note }: CallersParts): Callers => {
  const { scheduler } = host;
  const writes: MadeWrite[] = [];
  const reads: Read[] = [];
  const pause = (ms: number): Promise<void> => new Promise((resolve) => after(host, ms, resolve));
  return {
    writes,
    reads,
    pause,
    write: async (nodeId, asked, { isKeyed, until }) => {
      const id = random.uuid();
      const command = { ...commandOf(asked), userId: id, ...(isKeyed && { idempotencyKey: id }) } as Command;
      const { name } = command;
      const sentAt = scheduler.now();
      let mayHaveChanged = false;
      let answer: Answer = 'refused';
      let by: SimulatedApi | undefined;
      for (;;) {
        const api = anyApi();
        if (api !== undefined) {
          note('callers', `${name} ${id.slice(0, 4)}${isKeyed ? ' keyed' : ''}`, api.host.name);
          const answered: Answered = await Promise.race([
            api.nodes.send(nodeId, command)(),
            ended(api).then(() => 'gone' as const),
          ]);
          answer = answerOf(answered);
          note(api.host.name, `${name} ${id.slice(0, 4)}: ${textOf(answered)}`, 'callers');
          by = api;
          mayHaveChanged ||= answer === 'unknown';
          if (!isKeyed || isDefinite(answered)) break;
        } else answer = 'refused';
        if (scheduler.now() >= until || !isKeyed) break;
        await pause(AGAIN_MS);
      }
      if (answer === 'refused' && mayHaveChanged) answer = 'unknown';
      const answeredAt = answer === 'unknown' ? Infinity : scheduler.now();
      writes.push({ id, nodeId, asked, sentAt, answeredAt, answer, by });
      return answer;
    },
    read: async (nodeId, of, api, isFresh) => {
      const at = scheduler.now();
      note('callers', `reads ${of}`, api.host.name);
      const found = await Promise.race([api.nodes[of](nodeId, { isFresh })(), ended(api).then(() => 'gone' as const)]);
      note(api.host.name, `${of}: ${found === 'gone' || found._tag === 'Left' ? 'no answer' : 'ok'}`, 'callers');
      if (found === 'gone' || found._tag === 'Left') return undefined;
      const shown = found.right.value as unknown as JsonObject;
      const read: Read = {
        ...{ nodeId, of, at, answeredAt: scheduler.now(), api, isCached: isCached(api), isFresh },
        value: of === 'threshold' ? (shown['threshold'] as JsonObject) : shown,
        age: found.right.age,
      };
      reads.push(read);
      return read;
    },
  };
};

/** As `answerOf` of the chaos tests, for the port instead of HTTP. */
const answerOf = (answered: Answered): Answer => {
  if (answered === 'gone') return 'unknown';
  if (E.isRight(answered)) return 'acknowledged';
  const outage = answered.left;
  if (outage._tag === 'TimedOut') return 'unknown';
  return outage._tag === 'Unavailable' && outage.mayHaveChanged ? 'unknown' : 'refused';
};

const isDefinite = (answered: Answered): boolean => {
  if (answered === 'gone') return false;
  if (E.isRight(answered)) return true;
  return !['TimedOut', 'Unavailable', 'QueueFull', 'Overloaded', 'OutboxFull'].includes(answered.left._tag);
};

const textOf = (answered: Answered): string => {
  if (answered === 'gone') return 'connection lost';
  if (E.isRight(answered)) return `ok${answered.right._tag === 'Unchanged' ? ' (unchanged)' : ''}`;
  const { left } = answered;
  return `${left._tag}${left._tag === 'Unavailable' ? (left.mayHaveChanged ? ', may have changed' : ', nothing changed') : ''}`;
};

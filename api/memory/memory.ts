import * as E from 'fp-ts/Either';
import { LRUCache } from 'lru-cache';
import type { GroupReceipt } from '../../workflows/domain/node/hand-over';
import type { OutboxEvent } from '../../workflows/domain/node/outbox';
import type { Snapshot } from '../../workflows/domain/node/views';
import type { Outage } from '../ports';
import { knownOf, takeEvent, type Known } from './known';

/** What this process remembers of the nodes it was asked for; the least recently asked for go first. */
export interface Memory {
  readonly known: (nodeId: string) => Known | undefined;
  /** Asks the node, and remembers the answer with what the stream told meanwhile. Several that ask at once share one question. */
  readonly learn: (nodeId: string) => Promise<E.Either<Outage, Known>>;
  /** Takes an event of the stream. */
  readonly take: (nodeId: string, event: OutboxEvent) => void;
  /** Takes what this process is about to acknowledge: from here on it answers nothing older. */
  readonly committed: (nodeId: string, receipt: GroupReceipt) => void;
  readonly forget: (nodeId: string) => void;
  readonly forgetAll: () => void;
}

export interface MemorySettings {
  readonly ask: (nodeId: string) => Promise<E.Either<Outage, Snapshot>>;
  /** The most nodes that are remembered. */
  readonly nodes: number;
}

/** A question under way: the events that came since it was asked, unless its answer may no longer be remembered. */
interface Question {
  readonly events: OutboxEvent[];
  isSpoiled: boolean;
  answer: Promise<E.Either<Outage, Known>>;
}

/** A node that was terminated says nothing in the stream: so long it may still be remembered (ms). */
const REMEMBERED_MS = 300_000;

export const createMemory = ({ ask, nodes }: MemorySettings): Memory => {
  const remembered = new LRUCache<string, Known>({ max: nodes, ttl: REMEMBERED_MS, noUpdateTTL: true });
  const questions = new Map<string, Question>();

  const answerOf = async (nodeId: string, question: Question): Promise<E.Either<Outage, Known>> => {
    const answer = await ask(nodeId);
    if (questions.get(nodeId) === question) questions.delete(nodeId);
    if (E.isLeft(answer)) return answer;
    const known = question.events.reduce(takeEvent, knownOf(answer.right));
    if (!question.isSpoiled) remembered.set(nodeId, known);
    return E.right(known);
  };
  const spoil = (nodeId: string): void => {
    const question = questions.get(nodeId);
    if (question !== undefined) question.isSpoiled = true;
    questions.delete(nodeId); // whoever asks from now on asks anew
    remembered.delete(nodeId);
  };
  const take = (nodeId: string, event: OutboxEvent): void => {
    questions.get(nodeId)?.events.push(event);
    const known = remembered.peek(nodeId);
    if (known !== undefined) remembered.set(nodeId, takeEvent(known, event));
  };

  return {
    known: (nodeId) => remembered.get(nodeId),
    learn: (nodeId) => {
      const asked = questions.get(nodeId);
      if (asked !== undefined) return asked.answer;
      const question: Question = {
        events: [],
        isSpoiled: false,
        answer: Promise.resolve(E.left({ _tag: 'TimedOut' })),
      };
      questions.set(nodeId, question);
      question.answer = answerOf(nodeId, question);
      return question.answer;
    },
    take,
    committed: (nodeId, { outcomes, unconfirmed }) => {
      if (!outcomes.some(({ _tag }) => _tag === 'Applied')) return;
      // A threshold of somebody else may have come between: its revision is known once the stream has told all.
      const isStatusOnly = unconfirmed?.every(({ type }) => type === 'PointAlarmStatusEvent') ?? false;
      if (!isStatusOnly) spoil(nodeId);
      else for (const event of unconfirmed ?? []) take(nodeId, event);
    },
    forget: spoil,
    forgetAll: () => {
      for (const question of questions.values()) question.isSpoiled = true;
      questions.clear();
      remembered.clear();
    },
  };
};

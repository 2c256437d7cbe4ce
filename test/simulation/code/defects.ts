import type { Patch } from './load-code';

/** A deliberate fault of the real code, one replacement of text, which the simulation must find. */
export interface Defect extends Patch {
  readonly name: string;
  /** The first schedule that finds it, counted from seed 1. */
  readonly foundBy: number;
  /** The promise that this one sees broken. */
  readonly breaks: string;
}

const relay = 'api/nodes/relay/relay.ts';
const intents = 'stream/publish-intents.ts';
const cache = 'api/nodes/read-cache/index.ts';
const carried = 'workflows/domain/node/carried.ts';
const outbox = 'workflows/domain/node/outbox.ts';

/** Where the text of a defect is no longer found exactly once, loading the code fails. */
export const defects: ReadonlyArray<Defect> = [
  {
    name: 'a publish intent is not written',
    foundBy: 72,
    breaks: 'live',
    file: intents,
    text: 'await within(WRITE_MS, link.client.zAdd(key, { score: intent.since, value: intent.text }));',
    by: '',
  },
  {
    name: 'the sweep passes over intents of other processes',
    foundBy: 1769,
    breaks: 'live',
    file: intents,
    text: '(await link.client.exists(aliveKey(process))) > 0',
    by: 'true',
  },
  {
    name: 'an intent of unknown outcome stays owned',
    foundBy: 22,
    breaks: 'bounded',
    file: relay,
    text: 'completed: completed.finally(() => intents.orphan(intent))',
    by: 'completed',
  },
  {
    name: 'an intent is removed though the events are not out',
    foundBy: 97,
    breaks: 'live',
    file: relay,
    text: 'if (isOut || (await publishNow(nodeId))) remove(intent);',
    by: 'if (true) remove(intent);',
  },
  {
    name: 'the relay sends the newest events first',
    foundBy: 4,
    breaks: 'forgotten',
    file: relay,
    text: 'publisher.append({ nodeId, events })',
    by: 'publisher.append({ nodeId, events: [...events].reverse() })',
  },
  {
    name: 'the relay sends only the newest events',
    foundBy: 4,
    breaks: 'forgotten',
    file: relay,
    text: 'publisher.append({ nodeId, events })',
    by: 'publisher.append({ nodeId, events: events.slice(-2) })',
  },
  {
    name: 'the relay confirms what it did not append',
    foundBy: 1056,
    breaks: 'forgotten',
    file: relay,
    text: 'if (events.length === 0) return true;',
    by: 'if (events.length === 0) return true; published.set(nodeId, events.at(-1)!.sequenceId);',
  },
  {
    name: 'a queue that is empty is never given up',
    foundBy: 1,
    breaks: 'live',
    file: 'api/nodes/node-queue.ts',
    text: 'queues.delete(nodeId);',
    by: '',
  },
  {
    name: 'a dropped connection counts as a call that was never sent',
    foundBy: 17_775,
    breaks: 'uncommitted',
    file: 'api/nodes/temporal/classify-error.ts',
    text: 'mayHaveReached: !NEVER_SENT.test(text)',
    by: 'mayHaveReached: false',
  },
  {
    name: 'a read joins one that was sent before',
    foundBy: 208,
    breaks: 'stale',
    file: 'api/nodes/temporal/shared-reads.ts',
    text: 'return reads.next;\n',
    by: 'return reads.current;\n',
  },
  {
    name: 'an acknowledged write does not reach the read cache before its event',
    foundBy: 2,
    breaks: 'stale',
    file: cache,
    text: 'cache.committed(nodeId, sent.answer.right);',
    by: 'void 0;',
  },
  {
    name: 'events that come while a node is loaded are not kept',
    foundBy: 616,
    breaks: 'stale',
    file: 'api/nodes/read-cache/read-cache.ts',
    text: 'loads.get(nodeId)?.events.push(event);',
    by: '',
  },
  {
    name: 'idempotency keys are not carried from run to run',
    foundBy: 59,
    breaks: 'repeated',
    file: carried,
    text: 'writes: known.writes.map(carriedWrite)',
    by: 'writes: []',
  },
  {
    name: 'groups are not carried from run to run',
    foundBy: 707,
    breaks: 'repeated',
    file: carried,
    text: 'state: { ...known,',
    by: 'state: { ...known, groups: [],',
  },
  {
    name: 'the outbox is not carried from run to run',
    foundBy: 3,
    breaks: 'forgotten',
    file: carried,
    text: '  outbox,\n  ...(keeps',
    by: '  outbox: { waiting: [], bytes: 0 },\n  ...(keeps',
  },
  {
    name: 'a keyed write is not remembered',
    foundBy: 6,
    breaks: 'repeated',
    file: 'workflows/domain/node/evolve.ts',
    text: 'writes: rememberWrite(state.writes, { ...event.write, revision: state.revision })',
    by: 'writes: state.writes',
  },
  {
    name: 'a group with an earlier number is taken',
    foundBy: 48,
    breaks: 'repeated',
    file: 'workflows/domain/node/apply-group.ts',
    text: ": E.left({ name: 'sentBy.sequence', reason: 'must not be before the last group of the sender' });",
    by: ': E.right(undefined);',
  },
  {
    name: 'a repeated group is decided anew',
    foundBy: 707,
    breaks: 'repeated',
    file: 'workflows/domain/node/apply-group.ts',
    text: '? E.right(last)',
    by: '? E.right(undefined)',
  },
  {
    name: 'a publication takes all that waits from the outbox',
    foundBy: 1,
    breaks: 'forgotten',
    file: outbox,
    text: 'const left = enqueuedAfter(outbox, sequenceId);',
    by: 'const left: ReadonlyArray<OutboxEvent> = [];',
  },
  {
    name: 'the outbox has no bound',
    foundBy: 133,
    breaks: 'bounded',
    file: outbox,
    text: 'waiting.length <= OUTBOX_EVENTS && bytes <= OUTBOX_BYTES;',
    by: 'waiting.length >= 0 && bytes >= 0;',
  },
  {
    name: 'a node that is asked to publish does not',
    foundBy: 97,
    breaks: 'live',
    file: 'workflows/take-groups.ts',
    text: 'held.publishesItself();\n      return',
    by: 'return',
  },
  {
    name: 'ids follow a clock that is set back',
    foundBy: 1,
    breaks: 'forgotten',
    file: 'workflows/domain/ulid.ts',
    text: 'return fresh.slice(0, TIME_DIGITS) > previous.slice(0, TIME_DIGITS) ? fresh : increment(previous);',
    by: 'return previous === fresh ? increment(previous) : fresh;',
  },
  {
    name: 'the activity answers before the stream has the events',
    foundBy: 1,
    breaks: 'forgotten',
    file: 'activities/activities.ts',
    text: 'const fault = appended.left;',
    by: "return batch.events.at(-1)?.sequenceId ?? '';",
  },
  {
    name: 'an append counts before the replicas have it',
    foundBy: 479,
    breaks: 'replicated',
    file: 'stream/append.ts',
    text: 'await replicated();',
    by: 'void replicated().catch(() => undefined);',
  },
  {
    name: 'removed intents stay in the memory of their process',
    foundBy: 4,
    breaks: 'bounded',
    file: intents,
    text: 'for (const { text } of intents) inFlight.delete(text);',
    by: '',
  },
  {
    name: 'the cache keeps what a write that was done before may have changed',
    foundBy: 17_661,
    breaks: 'stale',
    file: 'api/nodes/read-cache/read-cache.ts',
    text: "outcomes.every(({ _tag }) => _tag === 'Refused')",
    by: "!outcomes.some(({ _tag }) => _tag === 'Applied')",
  },
  {
    name: 'the cache keeps an old threshold through the write after a new one whose event is on its way',
    foundBy: 20_129,
    breaks: 'stale',
    file: 'api/nodes/read-cache/read-cache.ts',
    text: 'entries.peek(nodeId)?.threshold.revision !== revision',
    by: 'false',
  },
  {
    name: 'a node forgets what it refused, though an earlier try of it is still on its way',
    foundBy: 84_447,
    breaks: 'uncommitted',
    file: 'workflows/domain/node/apply-group.ts',
    text: '(isTriedAgain && known === undefined)',
    by: 'false',
  },
];

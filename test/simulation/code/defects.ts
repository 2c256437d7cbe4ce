import type { Plan } from '../world/plan';
import type { Patch } from './load-code';

/** A deliberate fault of the real code, one replacement of text, which the simulation must find. */
export interface Defect extends Patch {
  readonly name: string;
  /**
   * The seed of the first schedule that finds it, among those that are run `given`. Absent: it is rare, and none is known since
   * the code changed.
   */
  readonly foundBy?: number;
  /** What is changed about the plan of each seed, where what it needs comes together too rarely. */
  readonly given?: Partial<Plan>;
  /** The promise that this one sees broken. */
  readonly breaks: string;
}

const relay = 'api/nodes/relay.ts';
const intents = 'stream/publish-intents.ts';
const cache = 'api/nodes/read-cache.ts';
const carried = 'workflows/domain/node/state.ts';
const outbox = 'workflows/domain/node/outbox.ts';

/** Two APIs with caches, and many messages that come late: caches lag behind what is acknowledged. */
const lateCaches: Partial<Plan> = {
  ...{ nodes: 1, apis: 2, relays: [true, true], caches: [true, true], bounds: 'shipped', faults: [] },
  ...{ callers: 3, writes: 18, reads: 40, pauseMs: 20, keyed: 1 },
  weather: { usualMs: 2, slowShare: 0.3, muted: new Set(), rates: {} },
};

/** An API dies with intents in flight, and the clock of Redis is set back by a minute. */
const clockSetBack: Partial<Plan> = {
  ...{ apis: 1, relays: [true], callers: 3, writes: 12, pauseMs: 20 },
  faults: [
    { at: 50, forMs: 500, kind: 'temporal freeze' },
    { at: 200, forMs: 1_000, kind: 'api crash', api: 0 },
    { at: 210, forMs: 5, kind: 'clock jump', of: 'redis', index: 0, by: -60_000 },
  ],
};

/** A full outbox refuses what was sent again after a try that comes later. */
const lateTries: Partial<Plan> = {
  ...{ bounds: 'small outbox', callers: 3, writes: 18, keyed: 0, pauseMs: 20 },
  weather: {
    ...{ usualMs: 1, slowShare: 0, muted: new Set() },
    rates: { 'temporal: request late, and given up': 0.3 },
  },
  faults: [{ at: 30, forMs: 2_500, kind: 'redis restart' }],
};

/** Where the text of a defect is no longer found exactly once, loading the code fails. */
export const defects: ReadonlyArray<Defect> = [
  {
    name: 'a publish intent is not written',
    foundBy: 72,
    breaks: 'live',
    file: intents,
    text: 'await within(WRITE_MS, link.client.zAdd(key, { score: now(), value: intent.text }));',
    by: '',
  },
  {
    name: 'the sweep passes over intents of other processes',
    foundBy: 1769,
    breaks: 'live',
    file: intents,
    text: 'ms >= 0 && ms <= ALIVE_S * 1_000',
    by: 'true',
  },
  {
    name: 'an intent of unknown outcome stays owned',
    foundBy: 396,
    breaks: 'bounded',
    file: relay,
    text: 'completed: completed.finally(() => intents.orphan(intent))',
    by: 'completed',
  },
  {
    name: 'an intent is removed though the events are not out',
    foundBy: 726,
    breaks: 'live',
    file: relay,
    text: 'if (isOut || (await publishNow(nodeId))) remove(intent);',
    by: 'if (true) remove(intent);',
  },
  {
    name: 'the relay sends the newest events first',
    foundBy: 6,
    breaks: 'forgotten',
    file: relay,
    text: 'publisher.append({ nodeId, events })',
    by: 'publisher.append({ nodeId, events: [...events].reverse() })',
  },
  {
    name: 'the relay sends only the newest events',
    foundBy: 6,
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
    breaks: 'bounded',
    file: 'api/admission/queues.ts',
    text: 'if (queue.waiting.length === 0) queues.delete(nodeId);',
    by: '',
  },
  {
    name: 'a dropped connection counts as a call that was never sent',
    foundBy: 17_775,
    breaks: 'uncommitted',
    file: 'api/nodes/temporal/errors.ts',
    text: 'mayHaveReached: !NEVER_SENT.test(text)',
    by: 'mayHaveReached: false',
  },
  {
    name: 'a read joins one that was sent before',
    foundBy: 300,
    breaks: 'stale',
    file: 'api/nodes/temporal/reads.ts',
    text: 'for (const ticket of group) ticket.answer(answer);',
    by: 'for (const ticket of [...group, ...waiting.splice(0)]) ticket.answer(answer);',
  },
  {
    name: 'an acknowledged write does not reach the read cache before its event',
    foundBy: 9,
    breaks: 'stale',
    file: cache,
    text: 'cache.committed(nodeId, sent.answer.right);',
    by: 'void 0;',
  },
  {
    name: 'events that come while a node is loaded are not kept',
    foundBy: 1895,
    breaks: 'stale',
    file: 'api/nodes/read-cache.ts',
    text: 'loads.get(nodeId)?.events.push(event);',
    by: '',
  },
  {
    name: 'idempotency keys are not carried from run to run',
    foundBy: 59,
    breaks: 'repeated',
    file: carried,
    text: 'writes: state.writes.map(carriedWrite)',
    by: 'writes: []',
  },
  {
    name: 'groups are not carried from run to run',
    foundBy: 48,
    breaks: 'repeated',
    file: carried,
    text: 'state: { ...state, writes',
    by: 'state: { ...state, groups: [], writes',
  },
  {
    name: 'the outbox is not carried from run to run',
    foundBy: 3,
    breaks: 'forgotten',
    file: carried,
    text: '  outbox,\n});\n\n/** The node `nodeId`',
    by: '  outbox: { waiting: [], bytes: 0 },\n});\n\n/** The node `nodeId`',
  },
  {
    name: 'a keyed write is not remembered',
    foundBy: 59,
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
    text: ": refused('sentBy.sequence', 'must not be before the last group of the sender');",
    by: ': E.right(undefined);',
  },
  {
    name: 'a repeated group is decided anew',
    foundBy: 278,
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
    foundBy: 89,
    breaks: 'bounded',
    file: outbox,
    text: 'waiting.length <= OUTBOX_EVENTS && bytes <= OUTBOX_BYTES;',
    by: 'waiting.length >= 0 && bytes >= 0;',
  },
  {
    name: 'a node that is asked to publish does not',
    foundBy: 218,
    breaks: 'live',
    file: 'workflows/group.ts',
    text: 'run.publishesItself();\n      return',
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
    foundBy: 6,
    breaks: 'bounded',
    file: intents,
    text: 'for (const { text } of intents) inFlight.delete(text);',
    by: '',
  },
  {
    name: 'the cache keeps what a write that was done before may have changed',
    foundBy: 6,
    given: { ...lateCaches, faults: [{ at: 150, forMs: 3_000, kind: 'api crash', api: 1 }] },
    breaks: 'stale',
    file: 'api/nodes/read-cache.ts',
    text: "outcomes.every(({ _tag }) => _tag === 'Refused')",
    by: "!outcomes.some(({ _tag }) => _tag === 'Applied')",
  },
  {
    name: 'the cache keeps an old threshold through the write after a new one whose event is on its way',
    given: lateCaches,
    breaks: 'stale',
    file: 'api/nodes/read-cache.ts',
    text: 'entries.peek(nodeId)?.threshold.revision !== revision',
    by: 'false',
  },
  {
    name: 'a node forgets what it refused, though an earlier try of it is still on its way',
    foundBy: 1,
    given: lateTries,
    breaks: 'uncommitted',
    file: 'workflows/domain/node/apply-group.ts',
    text: '(mayHaveReached && known === undefined)',
    by: 'false',
  },
  {
    name: 'a call forgets an earlier try that may have reached Temporal',
    foundBy: 1177,
    breaks: 'uncommitted',
    file: 'api/nodes/temporal/calls.ts',
    text: 'mayHaveReached ||= failure.mayHaveReached;',
    by: 'mayHaveReached = failure.mayHaveReached;',
  },
  {
    name: 'a follower that missed events keeps what is cached',
    foundBy: 2605,
    breaks: 'age',
    file: 'stream/follow.ts',
    text: 'asOf = -Infinity;\n      missed();',
    by: 'asOf = -Infinity;',
  },
  {
    name: 'a dead process counts as alive for as long as the clock of Redis was set back',
    foundBy: 1,
    given: clockSetBack,
    breaks: 'live',
    file: intents,
    text: ' && ms <= ALIVE_S * 1_000',
    by: '',
  },
  {
    name: 'publish intents that are ahead of a clock that was set back do not age',
    foundBy: 1,
    given: clockSetBack,
    breaks: 'live',
    file: intents,
    text: 'await Promise.all(ahead.map((intent) => ageFrom(at, intent)));',
    by: '',
  },
];

import type { Plan } from '../world/plan';
import type { Patch } from './load-code';

/** A deliberate fault of the real code, one replacement of text, which the simulation must find. */
export interface Defect extends Patch {
  readonly name: string;
  /** The seed of the first schedule that finds it, among those that are run `given`. */
  readonly foundBy: number;
  /** What is changed about the plan of each seed, where what it needs comes together too rarely. */
  readonly given: Partial<Plan> | undefined;
  /** The promise that this one sees broken. */
  readonly breaks: string;
}

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
    { at: 50, forMs: 500, kind: 'freeze', of: 'temporal' },
    { at: 200, forMs: 1_000, kind: 'crash', of: 'api1' },
    { at: 210, forMs: 5, kind: 'clock jump', of: 'redis', by: -60_000 },
  ],
};

/** A full outbox refuses what was sent again after a try that comes later. */
const lateTries: Partial<Plan> = {
  ...{ bounds: 'small outbox', callers: 3, writes: 18, keyed: 0, pauseMs: 20 },
  weather: {
    ...{ usualMs: 1, slowShare: 0, muted: new Set() },
    rates: { 'temporal: request late, and given up': 0.3 },
  },
  faults: [{ at: 30, forMs: 2_500, kind: 'restart', of: 'redis' }],
};

const givens: Readonly<Record<string, Partial<Plan>>> = {
  'late caches': lateCaches,
  'late caches and a crash': { ...lateCaches, faults: [{ at: 150, forMs: 3_000, kind: 'crash', of: 'api2' }] },
  'late tries': lateTries,
  'a clock set back': clockSetBack,
};

/** Name; file, promise and seed; what goes (`-`) and what comes in its place (`+`). */
const defectIn = (block: string): Defect => {
  const [name = '', about = '', ...lines] = block.split('\n');
  const [, file = '', breaks = '', seed, given = ''] =
    /^(\S+) breaks (\S+), seed (\d+)(?:, given (.+))?$/u.exec(about) ?? [];
  const side = (sign: string): string =>
    lines
      .filter((line) => line.startsWith(sign))
      .map((line) => line.slice(2))
      .join('\n');
  return { name, file, text: side('-'), by: side('+'), foundBy: Number(seed), given: givens[given], breaks };
};

/** Where the text of a defect is no longer found exactly once, loading the code fails. */
export const defects: ReadonlyArray<Defect> = `
a publish intent is not written
stream/publish-intents.ts breaks live, seed 72
- await withTimeout(WRITE_MS, redis.client.zAdd(key, { score: now(), value: intent.text }));
+

the sweep passes over intents of other processes
stream/publish-intents.ts breaks live, seed 1769
- ms >= 0 && ms <= ALIVE_S * 1_000
+ true

an intent of unknown outcome stays owned
api/nodes/relay.ts breaks bounded, seed 1697
- completed: completed.finally(() => intents.orphan(intent))
+ completed

an intent is removed though the events are not out
api/nodes/relay.ts breaks live, seed 726
- if (isPublished || (await publishNow(nodeId))) remove(intent);
+ if (true) remove(intent);

the relay sends the newest events first
api/nodes/relay.ts breaks forgotten, seed 6
- publisher.append({ nodeId, events })
+ publisher.append({ nodeId, events: [...events].reverse() })

the relay sends only the newest events
api/nodes/relay.ts breaks forgotten, seed 6
- publisher.append({ nodeId, events })
+ publisher.append({ nodeId, events: events.slice(-2) })

the relay confirms what it did not append
api/nodes/relay.ts breaks forgotten, seed 1056
- if (events.length === 0) return true;
+ if (events.length === 0) return true; published.set(nodeId, events.at(-1)!.sequenceId);

a queue that is empty is never given up
api/admission/waiting-nodes.ts breaks bounded, seed 1
- if (queue.waiting.size === 0) nodes.delete(nodeId);
+

a dropped connection counts as a call that was never sent
api/nodes/temporal/errors.ts breaks uncommitted, seed 17775
- return ['unavailable', !NEVER_SENT.test(text)];
+ return ['unavailable', false];

a read joins one that was sent before
api/admission/queues.ts breaks stale, seed 300
- answers.forEach((answer, index)
+ if (parts.mostTogether === Infinity) for (const joins of [...queue.waiting]) { Q.remove(queue, joins); joins.answer(answers[0]!); }
+     answers.forEach((answer, index)

an acknowledged write does not reach the read cache before its event
api/nodes/read-cache.ts breaks stale, seed 9
- cache.applyReceipt(nodeId, sent.answer.right);
+ void 0;

events that come while a node is loaded are not kept
api/nodes/read-cache.ts breaks stale, seed 1895
- loads.get(nodeId)?.events.push(event);
+

idempotency keys are not carried from run to run
workflows/domain/node/state.ts breaks repeated, seed 59
- writes: state.writes.map(carriedWrite)
+ writes: []

groups are not carried from run to run
workflows/domain/node/state.ts breaks repeated, seed 48
- state: { ...state, writes
+ state: { ...state, groups: [], writes

the outbox is not carried from run to run
workflows/domain/node/state.ts breaks forgotten, seed 3
-   ...(signals.length > 0 && { signals }),
-   outbox,
+   ...(signals.length > 0 && { signals }),
+   outbox: { waiting: [], bytes: 0 },

a keyed write is not remembered
workflows/domain/node/evolve.ts breaks repeated, seed 59
- writes: rememberWrite(state.writes, { ...event.write, revision: state.revision })
+ writes: state.writes

a group with an earlier number is taken
workflows/domain/node/apply-group.ts breaks repeated, seed 48
- ? refusedMember('sentBy.sequence', 'must not be before the last group of the sender')
+ ? E.right(undefined)

a repeated group is decided anew
workflows/domain/node/apply-group.ts breaks repeated, seed 278
- : E.right(known);
+ : E.right(undefined);

a publication takes all that waits from the outbox
workflows/domain/node/outbox.ts breaks forgotten, seed 1
- const left = enqueuedAfter(outbox, sequenceId);
+ const left: ReadonlyArray<OutboxEvent> = [];

the outbox has no bound
workflows/domain/node/outbox.ts breaks bounded, seed 89
- waiting.length <= OUTBOX_EVENTS && bytes <= OUTBOX_BYTES;
+ waiting.length >= 0 && bytes >= 0;

a node that is asked to publish does not
workflows/run.ts breaks live, seed 127
- publishByActivity();
-       recordRunEvent({
+ recordRunEvent({

ids follow a clock that is set back
workflows/domain/ulid.ts breaks forgotten, seed 1
- return fresh.slice(0, TIME_DIGITS) > previous.slice(0, TIME_DIGITS) ? fresh : increment(previous);
+ return previous === fresh ? increment(previous) : fresh;

the activity answers before the stream has the events
activities/publish-events.ts breaks forgotten, seed 1
- const fault = appended.left;
+ return batch.events.at(-1)?.sequenceId ?? '';

an append counts before the replicas have it
stream/append.ts breaks replicated, seed 479
- await replicated();
+ void replicated().catch(() => undefined);

removed intents stay in the memory of their process
stream/publish-intents.ts breaks bounded, seed 6
- for (const text of texts) inFlight.delete(text);
+

the cache keeps what a write that was done before may have changed
api/nodes/read-cache.ts breaks stale, seed 228, given late caches and a crash
- outcomes.every(({ _tag }) => _tag === 'Refused')
+ !outcomes.some(({ _tag }) => _tag === 'Applied')

the cache keeps an old threshold through the write after a new one whose event is on its way
api/nodes/read-cache.ts breaks stale, seed 44, given late caches
- entries.peek(nodeId)?.node.threshold.revision !== revision
+ false

a node forgets what it refused, though an earlier try of it is still on its way
workflows/domain/node/apply-group.ts breaks uncommitted, seed 1, given late tries
- (mayHaveReached && known === undefined)
+ false

a call forgets an earlier try that may have reached Temporal
api/nodes/temporal/retry.ts breaks uncommitted, seed 1177
- mayHaveReached ||= failure.mayHaveReached;
+ mayHaveReached = failure.mayHaveReached;

a follower that missed events keeps what is cached
stream/follow-events.ts breaks age, seed 9981
- asOf = -Infinity;
-       onMissed();
+ asOf = -Infinity;

a dead process counts as alive for as long as the clock of Redis was set back
stream/publish-intents.ts breaks live, seed 1, given a clock set back
-  && ms <= ALIVE_S * 1_000
+

the relay takes it for published what an earlier life of the node hides
api/nodes/relay.ts breaks live, seed 127
- if (!isPublished) throw
+ if (newest === '') throw

a node that is set up anew drops what an earlier life of it hides
workflows/domain/node/publication.ts breaks forgotten, seed 2
- isFirstOfLife(nodeId, oldest) &&
+ oldest.sequenceId === '' &&

publish intents that are ahead of a clock that was set back do not age
stream/publish-intents.ts breaks live, seed 1, given a clock set back
- await Promise.all(ahead.map(({ value }) => redis.client.zAdd(key, { score: at, value }, { condition: 'XX' })));
+
`
  .trim()
  .split('\n\n')
  .map(defectIn);

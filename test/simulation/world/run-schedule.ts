import type { Final } from '../../chaos/history';
import { randomOf } from '../../chaos/load/random';
import { reasonOf } from '../../../process/reason-of';
import type { Graphs } from '../code/graphs';
import { injectFault } from './faults';
import { judge } from './judge';
import type { Plan } from './plan';
import type { Breach } from './truth';
import { LATEST_MS } from './weather';
import { createWorld, type Note, type World } from './world';

/** How much happened in schedules. */
export interface Totals {
  readonly schedules: number;
  readonly steps: number;
  readonly writes: number;
  readonly events: number;
  readonly virtualMs: number;
  /** The faults that were injected, by kind. */
  readonly injected: Readonly<Record<string, number>>;
}

/** What came of a schedule. */
export interface Verdict extends Totals {
  readonly breaches: ReadonlyArray<Breach>;
}

/** All nodes take writes, and all events are out, this long (ms) after the last fault (docs/contributing/simulation.md). */
const WITHIN_MS = 30_000;
/** Where Redis lost publish intents as well, the node's own timer publishes: after one to two hours. */
const WITHIN_MS_WITHOUT_INTENTS = 7_260_000;
/** What is on its way when all has come to rest is there after this (ms). */
const GIVEN_UP_MS = 200_000;

/** Runs `plan` to its end. Call it from a callback of the event loop, never from within a promise. */
export const runSchedule = (plan: Plan, graphs: Graphs, notes?: Note[]): Verdict => {
  const world = createWorld(plan, graphs, notes);
  const { scheduler, truth } = world;
  const over: { done: boolean; fault: unknown } = { done: false, fault: undefined };
  const finals: Final[] = [];
  scheduler.at(0, () => {
    play(world, finals).then(
      () => {
        over.done = true;
      },
      (error: unknown) => {
        over.done = true;
        over.fault = error;
      },
    );
  });
  const isOver = scheduler.run(() => over.done, WITHIN_MS_WITHOUT_INTENTS + GIVEN_UP_MS);
  if (over.fault !== undefined) truth.breach('simulated', '', reasonOf(over.fault));
  if (!isOver) truth.breach('live', '', 'a call was never answered');
  return {
    breaches: judge(world, finals),
    injected: world.injected,
    schedules: 1,
    steps: scheduler.steps(),
    writes: world.callers.writes.length,
    events: world.nodes.reduce((sum, nodeId) => sum + truth.committed(nodeId).length, 0),
    virtualMs: scheduler.now(),
  };
};

const play = async (world: World, finals: Final[]): Promise<void> => {
  const { plan, callers, scheduler, nodes, weather } = world;
  const random = randomOf(plan.seed ^ 0x2545f491);
  const { requests } = world;
  const forever = { isKeyed: true, until: 60_000 };
  await Promise.all(nodes.map((nodeId) => callers.write(nodeId, requests.threshold(), forever)));

  const endsAt = Math.max(scheduler.now(), ...plan.faults.map((fault) => injectFault(world, fault)));
  const write = async (count: number): Promise<void> => {
    for (let made = 0; made < count; made += 1) {
      await callers.pause(plan.pauseMs * 2 * random.draw());
      await callers.write(random.pick(nodes), requests.any(), {
        isKeyed: random.draw() < plan.keyed,
        until: endsAt + WITHIN_MS,
      });
    }
  };
  const read = async (count: number): Promise<void> => {
    for (let made = 0; made < count; made += 1) {
      await callers.pause(plan.pauseMs * 3 * random.draw());
      const alive = world.apis.filter((api) => api !== undefined);
      if (alive.length === 0) continue;
      const of = random.draw() < 0.8 ? 'alarmStatus' : 'threshold';
      await callers.read(random.pick(nodes), of, random.pick(alive), random.draw() < 0.1);
    }
  };
  const signal = async (count: number): Promise<void> => {
    for (let made = 0; made < count; made += 1) {
      await callers.pause(plan.pauseMs * 2 * random.draw());
      await world.signal(random.pick(nodes));
    }
  };
  const share = Math.ceil(plan.writes / plan.callers);
  await Promise.all([
    ...Array.from({ length: plan.callers }, () => write(share)),
    read(plan.reads),
    read(plan.reads),
    signal(plan.signals),
  ]);
  weather.clear();
  const isLateUntil = scheduler.now() + LATEST_MS;
  if (scheduler.now() < endsAt) await callers.pause(endsAt - scheduler.now());

  // What the nodes owe comes out by itself; then every node takes a write, and that comes out, too.
  await settled(world);
  const mendedAt = scheduler.now();
  await Promise.all(
    nodes.map(async (nodeId) => {
      const answer = await callers.write(nodeId, requests.any(), { isKeyed: true, until: mendedAt + WITHIN_MS });
      if (answer !== 'acknowledged') world.truth.breach('live', nodeId, `a write is ${answer} 30 s after the faults`);
    }),
  );
  await settled(world);
  await callers.pause(plan.watchedMs);
  // A call that its API gave up may be carried out only now; its events come out, too.
  if (world.injected['temporal: request late, and given up'] !== undefined && scheduler.now() < isLateUntil)
    await callers.pause(isLateUntil - scheduler.now());
  await settled(world);
  const alive = world.apis.find((api) => api !== undefined);
  if (alive === undefined) return;
  await Promise.all(nodes.map((nodeId) => callers.read(nodeId, 'alarmStatus', alive, false)));
  for (const nodeId of nodes) {
    const [status, threshold] = await Promise.all([
      callers.read(nodeId, 'alarmStatus', alive, true),
      callers.read(nodeId, 'threshold', alive, true),
    ]);
    if (status === undefined || threshold === undefined)
      world.truth.breach('live', nodeId, 'a read is not answered in the end');
    else finals.push({ nodeId, alarmStatus: status.value, threshold: threshold.value });
  }
  bounded(world);
};

/** Waits until all events are out, for as long as was promised. */
const settled = async (world: World): Promise<void> => {
  const { scheduler, callers, truth, nodes, redis } = world;
  const within = redis.hasLostWrites() ? WITHIN_MS_WITHOUT_INTENTS : WITHIN_MS;
  const until = scheduler.now() + within;
  while (!isOut(world)) {
    if (scheduler.now() > until) {
      for (const nodeId of nodes)
        if (!isNodeOut(world, nodeId))
          truth.breach('live', nodeId, `events are not out ${within / 1_000} s after the faults`);
      return;
    }
    await callers.pause(scheduler.now() > until - within + WITHIN_MS ? 5_000 : 100);
  }
};

const isNodeOut = ({ truth }: World, nodeId: string): boolean =>
  truth.waiting(nodeId).every(({ sequenceId }) => truth.appendedAt(nodeId, sequenceId) !== undefined);

const isOut = (world: World): boolean => world.nodes.every((nodeId) => isNodeOut(world, nodeId));

/** What the code keeps in memory once nothing goes on: at most an entry for each node. */
const bounded = ({ apis, nodes, truth }: World): void => {
  for (const api of apis) {
    if (api === undefined) continue;
    const largest = api.growth();
    if (largest > nodes.length)
      truth.breach('bounded', '', `a collection of ${api.host.name} has ${largest} entries at rest`);
    if (api.waiting() !== 0) truth.breach('bounded', '', `${api.waiting()} calls wait in ${api.host.name} at rest`);
    if (api.host.timers > 30) truth.breach('bounded', '', `${api.host.timers} timers of ${api.host.name} at rest`);
  }
};

import { setTimeout as sleep } from 'node:timers/promises';
import { checkHistory, type Verdict } from './check-history';
import type { Final, JsonObject } from './history';
import { createRequestSource, type RequestSource } from './load/requests';
import { createCaller, type CallResult, type Caller } from './load/call';
import { startLoad, createRecorder, type Recorder } from './load/recorder';
import { randomOf, type Random } from './load/random';
import { eventually } from './probe';
import { addRow, type Row, waitsOf } from './rows';
import type { CalledStack, Stack } from './stack/stack';
import type { StreamTail } from './stack/stream-tail';

export interface Setting<S extends CalledStack = Stack> {
  readonly stack: S;
  readonly tail: StreamTail;
  readonly random: Random;
  readonly requests: RequestSource;
  readonly caller: Caller;
  readonly recorder: Recorder;
  readonly nodes: ReadonlyArray<string>;
}

export interface SettingPlan {
  readonly seed: number;
  readonly nodes?: number;
  /** The address of a try; absent: both APIs in turn. */
  readonly nextBase?: () => string;
}

export interface ScenarioPlan<S extends CalledStack = Stack> extends SettingPlan {
  readonly name: string;
  readonly callers?: number;
  readonly pauseMs?: number;
  /** The share of writes that are sent again under their key until they are answered. */
  readonly keyed?: number;
  /** Hurts the stack and mends it; it resolves to the moment when the fault ended, in ms of `performance`. */
  readonly fault: (setting: Setting<S>) => Promise<number>;
  /**
   * Where given, callers stop with the fault and nobody touches a node again: what it owes must come out by itself. This
   * mends what the fault left, and resolves to the moment when that was done.
   */
  readonly mend?: (setting: Setting<S>) => Promise<number>;
}

/** What came of a scenario: its row of the table, and all that was seen. */
export interface Outcome<S extends CalledStack = Stack> {
  readonly row: Row;
  readonly verdict: Verdict;
  readonly setting: Setting<S>;
}

const WARM_UP_MS = 2_000;
/** Writes before the fault, however slow the machine. */
const WARM_UP_WRITES = 150;
const WARM_UP_WITHIN_MS = 60_000;
const COOL_DOWN_MS = 1_500;

export const runScenario = async <S extends CalledStack>(
  stack: S,
  tail: StreamTail,
  plan: ScenarioPlan<S>,
): Promise<Outcome<S>> => {
  const outcome = await playScenario(stack, tail, plan);
  addRow(outcome.row);
  return outcome;
};

/**
 * Lets callers write to fresh nodes while `fault` does its harm, waits until every node takes writes again and all events
 * are out, stops the callers, and checks the whole history.
 */
export const playScenario = async <S extends CalledStack>(
  stack: S,
  tail: StreamTail,
  plan: ScenarioPlan<S>,
): Promise<Outcome<S>> => {
  const setting = settingOf(stack, tail, plan);
  const { recorder, requests, nodes, random } = setting;
  await Promise.all(nodes.map((nodeId) => recorder.send(nodeId, requests.threshold(), { keyed: true })));
  const { callers = 24, pauseMs = 150, keyed = 0.5 } = plan;
  const loadedAt = performance.now();
  const load = startLoad({ recorder, requests, random, nodes, callers, pauseMs, keyed });
  await sleep(WARM_UP_MS);
  await eventually(
    () => recorder.writes.length,
    (count) => count >= (plan.nodes ?? 40) + WARM_UP_WRITES,
    WARM_UP_WITHIN_MS,
  );
  let endedAt = await plan.fault(setting);
  let recovery = Number.NaN;
  if (plan.mend === undefined) {
    recovery = await waitForRecovery(setting, endedAt);
    await sleep(COOL_DOWN_MS);
    await load.stop();
  } else {
    await load.stop();
    endedAt = await plan.mend(setting);
  }
  const unloadedAt = performance.now();
  const { verdict, at } = await settledVerdict(setting);
  if (plan.mend !== undefined) recovery = at - endedAt;
  setting.caller.close();
  const waits = waitsOf(recorder, { from: loadedAt, to: unloadedAt });
  const row = {
    name: plan.name,
    seed: plan.seed,
    nodes: nodes.length,
    recoveryMs: Math.round(recovery),
    verdict,
    waits,
  };
  return { row, verdict, setting };
};

/** Fresh nodes, and callers to them. */
export const settingOf = <S extends CalledStack>(stack: S, tail: StreamTail, plan: SettingPlan): Setting<S> => {
  const random = randomOf(plan.seed);
  const caller = createCaller(stack.ca);
  let turn = 0;
  const inTurn = (): string => (stack.apis[(turn += 1) % 2] ?? stack.apis[0]).url;
  const { nextBase = inTurn } = plan;
  const recorder = createRecorder({ caller, signToken: stack.signToken, newId: random.uuid, nextBase });
  const nodes = Array.from({ length: plan.nodes ?? 40 }, random.uuid);
  return { stack, tail, random, requests: createRequestSource(random), caller, recorder, nodes };
};

/** The verdict once everything has come to rest, or the last one: what is repeated or lost never heals. */
const settledVerdict = async (
  setting: Setting<CalledStack>,
): Promise<{ readonly verdict: Verdict; /** In ms of `performance`. */ readonly at: number }> => {
  const until = performance.now() + GIVEN_UP_AFTER_MS;
  for (;;) {
    const verdict = await verdictOf(setting);
    const at = performance.now();
    if (verdict.breaches.length > 0 && at < until) await sleep(500);
    else if (verdict.breaches.length > 0) return { verdict, at };
    else {
      await sleep(1_000); // what comes late must not come twice
      return { verdict: await verdictOf(setting), at };
    }
  }
};

const verdictOf = async (setting: Setting<CalledStack>): Promise<Verdict> => {
  const { recorder, tail, nodes } = setting;
  const finals = await finalsOf(setting);
  const ours = new Set(nodes);
  const entries = (await tail.read()).filter((entry) => ours.has(String(entry['aggregateId'])));
  return checkHistory({ writes: recorder.writes, entries, finals });
};

/** So long a recovery is waited for before the scenario fails. */
const GIVEN_UP_AFTER_MS = 60_000;

/**
 * The ms from `endedAt` until every node has taken a write that was sent after it, and that write's event is in the stream;
 * those before it are then out as well, since a node's events come in order.
 */
export const waitForRecovery = async (
  { recorder, requests, nodes, tail }: Setting<CalledStack>,
  endedAt: number,
  givenUpAfterMs = GIVEN_UP_AFTER_MS,
): Promise<number> => {
  const lastAnswerTo = (writeId: string): string =>
    JSON.stringify(recorder.tries.findLast((tried) => tried.writeId === writeId)?.called);
  const until = performance.now() + givenUpAfterMs;
  const givenUp = (): boolean => performance.now() > until;
  const times = await Promise.all(
    nodes.map(async (nodeId) => {
      const { id, answer } = await recorder.send(nodeId, requests.external(), { keyed: true, until: givenUp });
      while (!tail.arrivals.has(id)) {
        if (answer !== 'acknowledged' || givenUp())
          throw new Error(
            `${nodeId}: after ${givenUpAfterMs} ms a write was ${answer} and is not in the stream: ${lastAnswerTo(id)}`,
          );
        await sleep(20);
      }
      return tail.arrivals.get(id) ?? Infinity;
    }),
  );
  return Math.max(...times) - endedAt;
};

/** How long (ms) a read is repeated, as docs/calls.md asks of its caller: a node that answers no later is stuck. */
const PATIENCE_MS = 15_000;
const REPEATED: ReadonlySet<number> = new Set([429, 503, 504]);

/** What each node's GETs answer now, by the first API that lives. Errors: a GET that does not answer 200. */
export const finalsOf = async ({ stack, caller, nodes }: Setting<CalledStack>): Promise<ReadonlyArray<Final>> => {
  const headers = { Authorization: `Bearer ${await stack.signToken('reader')}` };
  const get = async (path: string, until = performance.now() + PATIENCE_MS): Promise<JsonObject> => {
    const ask = (of: CalledStack['apis'][number]): Promise<CallResult> =>
      caller.call(of.url, { method: 'GET', path, headers });
    const [one, other] = stack.apis;
    const first = await ask(one);
    const { status, headers: answered, body, fault } = first.status === 0 ? await ask(other) : first;
    if (REPEATED.has(status) && performance.now() < until) {
      await sleep(1_000 * Number(answered['retry-after'] ?? 1));
      return get(path, until);
    }
    if (status !== 200) throw new Error(`GET ${path} answers ${status} ${fault ?? body}`);
    return JSON.parse(body) as JsonObject;
  };
  return Promise.all(
    nodes.map(async (nodeId) => ({
      nodeId,
      alarmStatus: await get(`/v1/alarm-status/${nodeId}`),
      threshold: await get(`/v1/point-alarm-threshold/${nodeId}`),
    })),
  );
};

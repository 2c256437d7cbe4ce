import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import type { Environment } from '../../dev/stack/environment';
import { startStack, type Stack } from '../chaos/stack/stack';
import { followStream, type StreamTail } from '../chaos/stack/stream-tail';
import type { Target } from '../support/attacks/attacks';
import { hangUp, type Call, type Load } from './callers';
import type { Order } from './callers-process';
import { figuresOf, lineOf, type Figures } from './figures';
import { judge, type Broken } from './judge';
import { startProbes, type Probed } from './probes';

/** What a load is beyond its rate. */
export type LoadPlan = Partial<Omit<Load, 'tokens'>> &
  Pick<Load, 'perSecond'> & { readonly users?: ReadonlyArray<string> };

/** A stack under load: one worker and one API unless a test starts the others, on this machine alone. */
export interface Setting {
  readonly stack: () => Stack;
  /** Nodes with a threshold, made when they are first wanted. */
  readonly nodes: (count: number) => Promise<ReadonlyArray<string>>;
  /** Gives nodes of these ids a threshold. */
  readonly madeOf: (ids: ReadonlyArray<string>) => Promise<unknown>;
  /** The rate that 64 patient callers get, per second. */
  readonly peakOf: (nodes: ReadonlyArray<string>, plan?: Partial<Pick<Load, 'urls' | 'writes'>>) => Promise<number>;
  /** What bad requests are sent to, under the token of one more user. */
  readonly target: (nodes: ReadonlyArray<string>) => Promise<Target>;
  readonly load: (plan: LoadPlan) => Promise<ReadonlyArray<Call>>;
  /** A load with its figures, which are printed, and the probes beside it. */
  readonly measured: (name: string, plan: LoadPlan, peak: number) => Promise<Figures & Probed>;
  /** Seconds until all calls at the rate are served, within half a second (p99). */
  readonly calmAfter: (perSecond: number, nodes: ReadonlyArray<string>) => Promise<number>;
  /** What is broken of all that was called so far, once the events had time to come. */
  readonly broken: () => Promise<ReadonlyArray<Broken>>;
  readonly say: (line: string) => void;
}

/** `OVERLOAD=short`: fewer nodes and shorter loads, to see that nothing is broken rather than to measure. */
export const isShort = process.env['OVERLOAD'] === 'short';
export const SECONDS = isShort ? 6 : 20;
const PEAK_SECONDS = isShort ? 4 : 12;

const CALLERS = 64;
const callersProcess = join(__dirname, 'callers-process.ts');
const CALM_WINDOW_S = 2;
/** The p99 (s) of calls in a calm service. */
const CALM_P99_S = 0.5;
const GIVEN_UP_S = 30;

export const settingOf = (env: Environment = {}): Setting => {
  let running: { readonly stack: Stack; readonly tail: StreamTail } | undefined;
  const tokens = new Map<string, string>();
  const made: string[] = [];
  const all: Call[] = [];
  const lines: string[] = [];
  beforeAll(async () => {
    const stack = await startStack({ env: { LOG_LEVEL: 'error', ...env } });
    await Promise.all([stack.workers[1].kill(), stack.apis[1].kill()]);
    running = { stack, tail: followStream(() => stack.redisSettings, stack.stream) };
  });
  afterAll(async () => {
    console.info(lines.join('\n'));
    for (const callers of idle) callers.kill();
    hangUp();
    await running?.tail.close();
    await running?.stack.stop();
  });
  const present = (): NonNullable<typeof running> => {
    if (running === undefined) throw new Error('the stack is not up');
    return running;
  };
  const say = (line: string): void => void lines.push(line);
  const full = async ({ users = ['plant'], ...plan }: LoadPlan): Promise<Load> => {
    for (const user of users) if (!tokens.has(user)) tokens.set(user, await present().stack.signToken(user));
    return {
      urls: [present().stack.apis[0].url],
      seconds: SECONDS,
      nodes: made,
      writes: 'measurement',
      ...plan,
      tokens: Object.fromEntries(users.map((user) => [user, tokens.get(user) ?? ''])),
    };
  };
  const idle: ChildProcess[] = [];
  /** Callers run in processes of their own, each with its event loop: what one of them sends does not delay the others. */
  const ordered = async (order: Order): Promise<ReadonlyArray<Call>> => {
    const callers = idle.pop() ?? fork(callersProcess, { execArgv: ['--import', 'tsx'], serialization: 'advanced' });
    const over = new AbortController();
    const died = once(callers, 'exit', over).then(() => Promise.reject(new Error('the callers died')));
    callers.send(order);
    const [calls]: ReadonlyArray<ReadonlyArray<Call>> = await Promise.race([once(callers, 'message', over), died]);
    over.abort();
    if (calls === undefined) throw new Error('the callers said nothing');
    idle.push(callers);
    for (const call of calls) all.push(call);
    return calls;
  };
  const load: Setting['load'] = async (plan) => ordered({ load: await full(plan) });
  const madeOf: Setting['madeOf'] = async (ids) =>
    ordered({ load: await full({ perSecond: 0, seconds: Infinity, nodes: ids, writes: 'threshold' }), callers: 8 });
  return {
    stack: () => present().stack,
    say,
    load,
    target: async ([node]) => ({
      port: Number(new URL(present().stack.apis[0].url).port),
      path: `/v1/alarm-status/${node}`,
      readPath: `/v1/alarm-status/${node}`,
      token: `Bearer ${await present().stack.signToken('vandal')}`,
    }),
    madeOf,
    nodes: async (count) => {
      const more = Array.from({ length: Math.max(0, count - made.length) }, () => randomUUID());
      if (more.length > 0) await madeOf(more);
      made.push(...more);
      return made.slice(0, count);
    },
    peakOf: async (nodes, plan) => {
      const load = await full({ perSecond: 0, seconds: PEAK_SECONDS, nodes, ...plan });
      const calls = await ordered({ load, callers: CALLERS });
      const { perSecond } = figuresOf('', calls, PEAK_SECONDS);
      say(`${nodes.length} nodes, ${load.writes}s, ${CALLERS} patient callers: ${perSecond.toFixed(0)}/s`);
      return perSecond;
    },
    measured: async (name, plan, peak) => {
      const { stack } = present();
      const stop = startProbes(stack.apis[0].url, tokens.get('plant') ?? '', plan.nodes ?? made);
      const calls = await load(plan);
      const probed = await stop();
      const figures = figuresOf(name, calls, plan.seconds ?? SECONDS);
      const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
      say(
        `${lineOf(figures, peak)}; /readyz ${percent(probed.readyShare)}, GET ${percent(probed.readShare)} within 2 s`,
      );
      return { ...figures, ...probed };
    },
    calmAfter: async (perSecond, nodes) => {
      const began = performance.now();
      for (;;) {
        const from = (performance.now() - began) / 1_000;
        const { servedShare, p99 } = figuresOf('', await load({ perSecond, seconds: CALM_WINDOW_S, nodes }), 1);
        if ((servedShare === 1 && p99 < CALM_P99_S) || from > GIVEN_UP_S) {
          say(`  calm after ${from.toFixed(1)} s: ${(100 * servedShare).toFixed(0)} % served, p99 ${p99.toFixed(2)} s`);
          return from;
        }
      }
    },
    broken: async () => {
      for (let tries = 0; ; tries += 1) {
        const broken = judge(all, await present().tail.read());
        if (tries > 15 || broken.every(({ promise }) => promise === 'done after it was refused')) return broken;
        if (broken.length === 0) return broken;
        await sleep(1_000);
      }
    },
  };
};

/** Resident memory of a process, in MiB, by its metrics. */
export const memoryOf = async (url: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes\S* (\S+)$/mu.exec(text)?.[1]) / 1_048_576;
};

/**
 * Runs in a pod of the cluster: callers and their judge. It plays a scenario for each line of its input that is one, says when
 * the callers are at work, and takes the next line as the end of the fault. It needs nothing but the service's image.
 */
import { createInterface } from 'node:readline';
import type { CallResult } from '../chaos/load/call';
import type { Recorder } from '../chaos/load/recorder';
import { playScenario } from '../chaos/scenario';
import type { Row } from '../chaos/rows';
import { followStream } from '../chaos/stack/stream-tail';
import type { CalledStack } from '../chaos/stack/stack';
import { tokenSigner } from '../chaos/stack/token-signer';
import { reasonOf } from '../../process/reason-of';
import { cliSettings, settingsOrExit } from '../../process/settings';

export interface Played {
  readonly name: string;
  readonly seed: number;
  readonly callers: number;
  readonly pauseMs: number;
  /** The share of writes that are sent again until they are answered. */
  readonly keyed: number;
}

export interface Outcome {
  readonly row: Row;
  readonly calls: number;
  /** Calls without an answer, and those that were answered with 429 or 5xx: the first of them, as text. */
  readonly unanswered: ReadonlyArray<string>;
  readonly failed: ReadonlyArray<string>;
  readonly slowestMs: number;
}

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const main = async (): Promise<void> => {
  const api = { url: 'http://point-alarm-api' };
  const { redis } = settingsOrExit('callers', cliSettings(process.env));
  const stack: CalledStack = {
    apis: [api, api],
    redisSettings: redis,
    stream: 'point-alarm-events',
    folder: '/tmp',
    signToken: await tokenSigner(process.argv[2] ?? ''),
    stop: () => Promise.resolve(),
  };
  const tail = followStream(() => stack.redisSettings, stack.stream);
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
    const fault = async (): Promise<number> => {
      say({ loaded: true });
      await lines.next();
      return performance.now();
    };
    await playScenario(stack, tail, { ...(JSON.parse(line.value) as Played), fault }).then(
      ({ row, setting: { recorder } }) => say(outcomeOf(row, recorder)),
      (thrown: unknown) => say({ broken: reasonOf(thrown) }),
    );
  }
  await tail.close();
};

const outcomeOf = (row: Row, { tries }: Pick<Recorder, 'tries'>): Outcome => {
  const shown = (wanted: (called: CallResult) => boolean): ReadonlyArray<string> =>
    tries
      .map(({ called }) => called)
      .filter(wanted)
      .map(({ status, fault, body, ms }) => `${status} ${fault ?? body} after ${Math.round(ms)} ms`);
  return {
    row,
    calls: tries.length,
    unanswered: shown(({ status }) => status === 0),
    failed: shown(({ status }) => status >= 500 || status === 429),
    slowestMs: Math.round(Math.max(0, ...tries.map(({ called: { ms } }) => ms))),
  };
};

void main();

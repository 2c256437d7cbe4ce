import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a caller knows of a call in the end. Refused: an answer that says that nothing was changed. */
export type Fate = 'served' | 'refused' | 'unknown' | 'gaveUp';

/** A call from when it was due to its last answer. Times in ms of `performance`. */
export interface Call {
  /** Its `X-Request-Id`, which its events bear. */
  readonly id: string;
  readonly nodeId: string;
  readonly user: string;
  readonly dueAt: number;
  readonly knownAt: number;
  readonly fate: Fate;
  readonly status: number;
  readonly hasRetryAfter: boolean;
  readonly tries: number;
  readonly writes: 'measurement' | 'threshold';
}

/** Callers who send by schedule, whatever the answers. */
export interface Load {
  readonly urls: ReadonlyArray<string>;
  readonly tokens: Readonly<Record<string, string>>;
  readonly perSecond: number;
  readonly seconds: number;
  readonly nodes: ReadonlyArray<string>;
  readonly writes: Call['writes'];
  /** A caller who is refused comes back under its key after `Retry-After`, until this many ms after it was due. */
  readonly returnsWithinMs?: number;
}

/** Each try gets an answer within this (ms), or its caller hangs up. */
const DEADLINE_MS = 10_000;

/** Sends all calls of `load`, and resolves once each of them is known or given up. */
export const openLoad = async (load: Load): Promise<ReadonlyArray<Call>> => {
  const calls: Promise<Call>[] = [];
  const began = performance.now();
  const count = Math.round(load.perSecond * load.seconds);
  while (calls.length < count) {
    const due = began + (calls.length * 1_000) / load.perSecond;
    if (due <= performance.now()) calls.push(made(load, calls.length, due));
    else await sleep(1);
  }
  return Promise.all(calls);
};

/** So many callers who each wait for their answer before the next call: the peak rate is what they get. */
export const closedLoad = async (load: Load, callers: number): Promise<ReadonlyArray<Call>> => {
  const calls: Call[] = [];
  let next = 0;
  const end = performance.now() + load.seconds * 1_000;
  const caller = async (): Promise<void> => {
    while (performance.now() < end && (load.writes === 'measurement' || next < load.nodes.length))
      calls.push(await made(load, next++, performance.now()));
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return calls;
};

const made = async (load: Load, number: number, dueAt: number): Promise<Call> => {
  const { nodes, urls, tokens, writes } = load;
  const nodeId = nodes[number % nodes.length] ?? '';
  const users = Object.keys(tokens);
  const user = users[number % users.length] ?? '';
  const id = randomUUID();
  const body = JSON.stringify(writes === 'threshold' ? threshold : measurement(id));
  const path = writes === 'threshold' ? `/v1/point-alarm-threshold/${nodeId}` : `/v1/alarm-status/${nodeId}`;
  const headers = { Authorization: `Bearer ${tokens[user]}`, 'X-Request-Id': id, 'Idempotency-Key': id };
  let mayHaveChanged = false;
  for (let tries = 1; ; tries += 1) {
    const base = urls[(number + tries) % urls.length] ?? '';
    const answer = await exchange(base, 'PUT', path, headers, body);
    const knownAt = performance.now();
    mayHaveChanged ||= answer.status === 0 ? answer.wasSent : answer.status === 504;
    const fate = fateOf(answer.status, mayHaveChanged);
    const waitMs = ((answer.retryAfter ?? 1) + Math.random()) * 1_000;
    const isOver = fate === 'served' || knownAt + waitMs > dueAt + (load.returnsWithinMs ?? 0);
    const hasRetryAfter = answer.retryAfter !== undefined;
    if (isOver) return { id, nodeId, user, dueAt, knownAt, fate, status: answer.status, hasRetryAfter, tries, writes };
    await sleep(waitMs);
  }
};

const fateOf = (status: number, mayHaveChanged: boolean): Fate => {
  if (status >= 200 && status < 300) return 'served';
  if (mayHaveChanged) return status === 0 ? 'gaveUp' : 'unknown';
  return status === 0 ? 'gaveUp' : 'refused';
};

type Answer = { readonly status: number; readonly retryAfter?: number; readonly wasSent: boolean };

/** Connections that have had their answer, by where they lead. */
const idle = new Map<string, Socket[]>();

/** Closes the connections that are kept: an API is watched for those that stay. */
export const hangUp = (): void => {
  for (const socket of [...idle.values()].flat()) socket.destroy();
  idle.clear();
};

/**
 * One exchange; status 0 where no answer came. A 503 that may have changed something counts as 504. It writes and reads by
 * itself: Node's client takes several times the processor time, which the service that is measured would lack.
 */
export const exchange = (
  base: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body = '',
  deadlineMs = DEADLINE_MS,
): Promise<Answer> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(base);
    const reusable = idle.get(base) ?? [];
    idle.set(base, reusable);
    const kept = reusable.pop();
    const socket = kept?.destroyed === false ? kept : connect(Number(port), hostname).setNoDelay(true);
    let received = '';
    let wasSent = true;
    const end = (answer: Answer): void => {
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.on('error', () => undefined);
      resolve(answer);
    };
    const failed = (): void => {
      socket.destroy();
      end({ status: 0, wasSent });
    };
    const timer = setTimeout(failed, deadlineMs);
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      wasSent = code !== 'ECONNREFUSED';
    });
    socket.on('close', failed);
    socket.on('data', (data) => {
      received += data.toString('latin1');
      const answer = answerIn(received);
      if (answer === undefined) return;
      if (/^connection: close/imu.test(received)) socket.destroy();
      else reusable.push(socket);
      end(answer);
    });
    const fields = { Host: 'x', ...headers, ...(body !== '' && { 'Content-Type': 'application/json' }) };
    const lines = Object.entries({ ...fields, 'Content-Length': body.length }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    socket.write([`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n'));
  });

/** The answer in `text`; undefined where it is not whole yet. */
const answerIn = (text: string): Answer | undefined => {
  const head = text.indexOf('\r\n\r\n');
  const length = Number(/^content-length: (\d+)/imu.exec(text)?.[1] ?? 0);
  if (head < 0 || text.length < head + 4 + length) return undefined;
  const status = Number(text.slice(9, 12));
  const after = /^retry-after: (\d+)/imu.exec(text)?.[1];
  const mayHave = status === 503 && !text.includes('"mayHaveChanged":false');
  return { status: mayHave ? 504 : status, wasSent: true, ...(after !== undefined && { retryAfter: Number(after) }) };
};

const threshold = {
  thresholdType: 2,
  overall: { unit: 'C', outerHigh: 70, innerHigh: 50, innerLow: 20, outerLow: 10 },
};

const measurement = (measurementId: string) => ({
  measurementId,
  createdAt: new Date().toISOString(),
  contentType: 'DATA_POINT',
  dataPoint: { coordinate: { x: 0, y: 30 }, xUnit: 's', yUnit: 'C' },
});

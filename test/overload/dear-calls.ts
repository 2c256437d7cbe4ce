import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as E from 'fp-ts/Either';
import { decode, isRecord } from '../../workflows/domain/codecs';
import { amplitudesOf, positionsOf, type PackedLines } from '../../workflows/domain/measurement/packed-lines';
import { storedSpectrum } from '../../workflows/domain/measurement/spectrum';
import type { Call, CallResult } from '../chaos/load/call';
import { long, many } from '../cost/json-text';

/** What an attack works with: calls under a token that may do everything, and under one without any grant. */
export interface Attacker {
  readonly port: number;
  readonly send: (
    call: Pick<Call, 'method' | 'path'> & { readonly content?: unknown; readonly body?: string },
  ) => Promise<CallResult>;
  readonly sendWithoutGrant: (call: Pick<Call, 'method' | 'path'> & { readonly body: string }) => Promise<CallResult>;
  readonly sendWithoutToken: (path: string) => Promise<CallResult>;
}

/** Something that is within every documented limit: what is made ready before, and what is sent once, or a few times. */
export interface DearCall {
  readonly prepare?: (attacker: Attacker) => Promise<unknown>;
  readonly attack: (attacker: Attacker) => Promise<ReadonlyArray<CallResult>>;
}

const measured = (content: object) => ({
  measurementId: randomUUID(),
  createdAt: new Date().toISOString(),
  ...content,
});
const spectrum = (speed: number, ...x: ReadonlyArray<number>) =>
  measured({
    contentType: 'SPECTRUM',
    spectrum: { speed, xUnit: 'Hz', yUnit: 'g', coordinates: x.map((one) => ({ x: one, y: 1 })) },
  });

/** The calls of commands, each `{<name>: <payload>}`, as a search found them; some nodes take them, several times each. */
export const callsOf = (commands: ReadonlyArray<Readonly<Record<string, Members>>>): DearCall => {
  const nodes = many(4, () => randomUUID());
  return {
    attack: async ({ send }) => {
      const toNode = async (node: string): Promise<ReadonlyArray<CallResult>> => {
        const calls: CallResult[] = [];
        for (const [name, payload] of commands.flatMap((one) => Object.entries(one))) {
          const call = callOf(node, name, payload);
          if (call !== undefined) calls.push(...(await Promise.all(many(TIMES, () => send(call)))));
        }
        return calls;
      };
      return (await Promise.all(nodes.map(toNode))).flat();
    },
  };
};
const TIMES = 5;

type Members = Readonly<Record<string, unknown>>;

const callOf = (node: string, name: string, payload: Members): Parameters<Attacker['send']>[0] | undefined => {
  const [threshold, status] = [`/v1/point-alarm-threshold/${node}`, `/v1/alarm-status/${node}`];
  switch (name) {
    case 'setThreshold':
      return { method: 'PUT', path: threshold, content: payload['threshold'] ?? null };
    case 'patchThreshold':
      return { method: 'PATCH', path: threshold, content: payload['operations'] ?? null };
    case 'recordMeasurement':
      return { method: 'PUT', path: status, content: unpackedMeasurement(payload['measurement']) };
    case 'setExternalAlarm':
      return { method: 'PUT', path: `${status}/status/external`, content: payload };
    case 'recalculate':
      return { method: 'PUT', path: status, body: '' };
    default:
      return undefined;
  }
};

/** A measurement as callers write it: its lines as coordinates. */
const unpackedMeasurement = (measurement: unknown): unknown => {
  if (!isRecord(measurement) || !isRecord(measurement['spectrum'])) return measurement ?? null;
  const { lines, ...spectrumAbout } = measurement['spectrum'];
  const read = E.isRight(decode(storedSpectrum, measurement['spectrum']))
    ? (lines as PackedLines | undefined)
    : undefined;
  if (read === undefined) return measured(measurement);
  const y = amplitudesOf(read);
  const coordinates = Array.from(positionsOf(read), (x, index) => ({ x, y: y[index] ?? 0 }));
  return measured({ ...measurement, spectrum: { ...spectrumAbout, coordinates } });
};

/** A node with a threshold, then measurements to it, a few at once. */
const measuring = (threshold: object, measurement: () => object, count: number): DearCall => {
  const nodes = many(4, () => randomUUID());
  const path = (node: string): string => `/v1/point-alarm-threshold/${node}`;
  return {
    prepare: ({ send }) =>
      Promise.all(nodes.map((node) => send({ method: 'PUT', path: path(node), content: threshold }))),
    attack: ({ send }) =>
      Promise.all(
        many(count, (index) => {
          const node = nodes[index % nodes.length];
          return send({ method: 'PUT', path: `/v1/alarm-status/${node}`, content: measurement() });
        }),
      ),
  };
};

/** 7 KB: a list that each copy doubles, up to 64,000 items, and moves of all of it. */
const moves = [
  { op: 'add', path: '/x', value: many(1_000, () => []) },
  ...many(6, () => ({ op: 'copy', from: '/x', path: '/x/0' })),
  ...many(93, (index) => ({ op: 'move', from: index % 2 === 0 ? '/x' : '/b', path: index % 2 === 0 ? '/b' : '/x' })),
];

/** A threshold of nearly 128 KiB. */
const heavy = { bandAlarms: many(100, (index) => ({ label: `${index}${long('x', 1_020)}` })) };
const heavyNodes = many(20, () => randomUUID());

export const dearCalls: Readonly<Record<string, DearCall>> = {
  'tunnels that are reset, and some that are kept': {
    attack: async ({ port }) => {
      const open = many(40, () => connect(port, '127.0.0.1').on('error', () => undefined));
      for (const socket of open) socket.write('CONNECT a:1 HTTP/1.1\r\n\r\n');
      await sleep(100);
      for (const socket of open.slice(0, 20)) socket.resetAndDestroy();
      await sleep(3_000);
      for (const socket of open) socket.destroy();
      return [];
    },
  },
  'a batch of a long name, without a grant': {
    attack: ({ sendWithoutGrant }) => {
      const body = `{"${long('n', 100_000)}":[${many(900, () => '{"a":1,"a":1}').join()}]}`;
      return Promise.all(
        many(5, () => sendWithoutGrant({ method: 'POST', path: '/v1/point-alarm-threshold-batch', body })),
      );
    },
  },
  'a threshold of a long name': {
    attack: ({ send }) => {
      const body = `{"${long('n', 300_000)}":[${many(900, () => '{"a":1,"a":1}').join()}]}`;
      const path = `/v1/point-alarm-threshold/${randomUUID()}`;
      return Promise.all(many(5, () => send({ method: 'PUT', path, body })));
    },
  },
  'two lines that are nearly one': measuring(
    { halAlarms: [{ label: '1x' }] },
    () => spectrum(1_500, 50, 50.000_000_000_01),
    8,
  ),
  'patches that move': (() => {
    const path = `/v1/point-alarm-threshold/${randomUUID()}`;
    return {
      prepare: ({ send }: Attacker) => send({ method: 'PUT', path, content: {} }),
      attack: ({ send }: Attacker) => Promise.all(many(20, () => send({ method: 'PATCH', path, content: moves }))),
    };
  })(),
  'labels of many multiples': measuring(
    { halAlarms: many(100, (index) => ({ label: `${long('1x ', 1_000)}${index}` })) },
    () => spectrum(1_500, 50, 51),
    20,
  ),
  'labels of many digits': measuring(
    { halAlarms: many(100, (index) => ({ label: `${long('1', 1_000)}${index}` })) },
    () => spectrum(1_500, 50, 51),
    20,
  ),
  'bearings of many parts': measuring(
    {
      halAlarms: many(100, (index) => ({
        label: 'BPFO',
        bearing: { manufacturer: 'A', modelNumber: `${long('A-', 1_000)}${index}` },
      })),
    },
    () => spectrum(1_500, 50, 51),
    20,
  ),
  'many answers to many choices': measuring(
    { inspection: { choices: many(100, (index) => ({ answer: `a${index}`, status: 2 })) } },
    () => measured({ contentType: 'QUESTION_ANSWERS', questionAnswers: many(30_000, () => 'x') }),
    100,
  ),
  'batches of heavy thresholds': {
    prepare: ({ send }) =>
      Promise.all(
        heavyNodes.map((node) => send({ method: 'PUT', path: `/v1/point-alarm-threshold/${node}`, content: heavy })),
      ),
    attack: ({ send }) => {
      const content = { nodeIDs: many(1_000, (index) => heavyNodes[index % heavyNodes.length]) };
      return Promise.all(many(5, () => send({ method: 'POST', path: '/v1/point-alarm-threshold-batch', content })));
    },
  },
  'a crowd at pages, without a token': {
    attack: async ({ sendWithoutToken }) => {
      const until = performance.now() + 3_000;
      const one = async (path: string): Promise<ReadonlyArray<CallResult>> => {
        const calls: CallResult[] = [];
        while (performance.now() < until) calls.push(await sendWithoutToken(path));
        return calls;
      };
      const all = await Promise.all(
        many(90, (index) => one(['/openapi.json', '/metrics', '/readyz'][index % 3] ?? '')),
      );
      return all.flat();
    },
  },
  'the largest spectra with a hundred HALs': measuring(
    {
      bandAlarms: many(100, () => ({})),
      halAlarms: many(100, (index) => ({
        ...{ label: '', halAlarmType: 'GLOBAL' },
        bearing: { manufacturer: 'SKF', modelNumber: index % 2 === 0 ? '6205' : '6203' },
      })),
    },
    () =>
      measured({
        contentType: 'SPECTRUM',
        spectrum: {
          ...{ speed: 1_000, xUnit: 'Hz', yUnit: 'g' },
          coordinates: many(25_600, (index) => ({ x: index / 32 + Math.random() / 100, y: Math.random() })),
        },
      }),
    8,
  ),
};

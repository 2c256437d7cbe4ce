import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import { bearerToken, keyHint } from '../../api/auth/token';
import { callOf } from '../../api/http/head';
import { invalidRequest, problemBody, type Problem } from '../../api/contract/problems/problem';
import type { Call, Route } from '../../api/contract/route';
import type { PointAlarms } from '../../api/ports';
import { routesOf } from '../../api/routes';
import { membersIn, parseJson, type Content } from '../../process/json';
import { COMMAND_VALUES } from '../../workflows/domain/limits';
import { jsonBytes } from '../../workflows/domain/codecs';
import { settingsWith } from '../support/api/settings';
import { jsonOf, long, many, type Json } from './json-text';
import { processorTime } from './processor-time';
import { heavyLines, heavyThreshold, measurementOf, spectrumOf } from './reference';
import type { Costs, Subject } from './search';

const NODE = '8f2d1c3a-5b6e-4f70-9a81-b2c3d4e5f607';

const measurement = measurementOf(spectrumOf({ coordinates: heavyLines() }));
const answered = measurementOf({
  contentType: 'QUESTION_ANSWERS',
  questionAnswers: many(40_000, () => ''),
});

/** The member that is named twice below a long name, many times. */
const twiceBelow = (name: string, count: number): Json => ({
  kind: 'object',
  members: [[name, { kind: 'array', items: many(count, () => twice) }]],
});
const twice: Json = {
  kind: 'object',
  members: [
    ['a', { kind: 'atom', text: '1' }],
    ['a', { kind: 'atom', text: '1e999' }],
  ],
};

/** Small texts with what makes a text invalid. */
export const plainTexts: ReadonlyArray<Json> = [twiceBelow('name', 3), jsonOf({ a: [1, 2] })];

const hostile: ReadonlyArray<Json> = [
  twiceBelow(long('n', 300_000), 900),
  twiceBelow('n', 40_000),
  jsonOf(Object.fromEntries(many(1_000, (index) => [`m${index}`, index]))),
  jsonOf(Object.fromEntries(many(90_000, (index) => [`m${index}`, index]))),
  jsonOf(many(99_000, () => 1e300)),
];

const bodiesOf: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  setThreshold: [
    heavyThreshold.threshold,
    { halAlarms: many(100, () => ({ label: 'BPFO', bearing: { manufacturer: long('A-', 400), modelNumber: 'x' } })) },
    { inspection: { choices: many(100, (index) => ({ answer: long(`a${index}`, 1_000), status: 9 })) } },
  ],
  patchThreshold: [
    [{ op: 'add', path: '/x', value: many(10_000, () => []) }],
    many(100, () => ({ op: 'move', from: long('/a', 300), path: long('/b', 300) })),
  ],
  updateAlarmStatus: [measurement, answered],
  getThresholds: [{ nodeIDs: many(1_000, () => NODE) }, { nodeIDs: many(1_000, (index) => `x${index}`) }],
  setExternalAlarm: [{ status: 3 }],
};

const by = { userId: 'u', disconnected: new AbortController().signal, until: Infinity };
const call = { nodeId: NODE, by, sender: { userId: 'u', cause: {} }, conditions: { revisions: {} } };

/** Nodes that refuse what they get, once it is as it would be sent. */
const nodes: PointAlarms = {
  send: (_, command) => () => {
    JSON.stringify(command);
    jsonBytes(command);
    const reasons = many(1_000, (index) => ({ name: `${index % 100}.a.b`, reason: 'is not a known property' }));
    return Promise.resolve(E.left({ _tag: 'PatchConflict', reasons }));
  },
  threshold: () => TE.left({ _tag: 'TimedOut' }),
  alarmStatus: () => TE.left({ _tag: 'TimedOut' }),
};

const answer = (problem: Problem): string => JSON.stringify(problemBody(problem, '/', 'r'));

/** What an API does with a body in one step each: looks at its bytes, parses it, decodes it, and sends or refuses it. */
const stepsOf = (route: Route, text: string): ReadonlyArray<() => unknown> => {
  const bytes = Buffer.from(text);
  let written: ReturnType<typeof membersIn>;
  let content: E.Either<unknown, Content>;
  return [
    () => (written = membersIn(bytes, COMMAND_VALUES)),
    () => (content = E.isRight(written) ? parseJson(bytes, written.right) : written),
    () => {
      if (E.isLeft(content)) return undefined;
      const accepted = route.accept(content.right.value);
      if (E.isLeft(accepted)) return answer(invalidRequest([...accepted.left, ...content.right.faults]));
      return typeof accepted.right === 'function' ? accepted.right(nodes, call as Call)() : accepted.right.nodeIds;
    },
  ];
};

/** The costs of steps: of the longest, for which nobody else is served, and of all by their bytes. */
const costsOf = async (steps: ReadonlyArray<() => unknown>, bytes: number): Promise<Costs> => {
  const ms: number[] = [];
  for (const step of steps) {
    const took = processorTime();
    await step();
    ms.push(took());
  }
  const all = ms.reduce((sum, one) => sum + one, 0);
  return { ms: Math.max(...ms), perByte: Math.max(0, all - FREE_MS) / bytes };
};

/** Time (ms) that a body may take whatever its size. */
const FREE_MS = 20;

const routes = routesOf(settingsWith(), { kindOf: () => 'measurement_point' });

export const bodySubjects: Readonly<Record<string, Subject>> = Object.fromEntries(
  routes.flatMap((route) => {
    const { id, body } = route;
    if (body === undefined) return [];
    const measure = (text: string) => costsOf(stepsOf(route, text), Buffer.byteLength(text));
    const seeds = [...(bodiesOf[id] ?? []).map(jsonOf), ...hostile];
    return [[id, { seeds, mostBytes: body.mostBytes, measure }]];
  }),
);

/** The head of a request, of at most 16 KiB: its token and its conditions. */
export const headSubject: Subject = {
  seeds: [
    jsonOf({ authorization: `Bearer ${long('a', 8_000)}.${long('b', 4_000)}.c`, 'if-match': long('"1",', 60) }),
    jsonOf({
      authorization: long(' ', 16_000),
      'if-none-match': long(',', 100),
      'cache-control': long('no-cache ', 1_000),
    }),
    jsonOf({ 'idempotency-key': long('k', 200), 'if-match': long('W/"1"', 2_000) }),
  ],
  mostBytes: 16_384,
  measure: (text) => {
    const given: unknown = JSON.parse(text);
    if (typeof given !== 'object' || given === null) return undefined;
    const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
    const steps = [
      () => E.map(keyHint)(bearerToken(headers['authorization'])),
      ...routes.map((route) => () => callOf(route, headers['path'], headers, by, {})),
    ];
    return costsOf(steps, Buffer.byteLength(text));
  },
};

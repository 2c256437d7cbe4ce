import { randomUUID } from 'node:crypto';
import { fc } from '@fast-check/vitest';
import { expect } from 'vitest';
import type { Called, Caller } from '../chaos/load/call';
import {
  measure,
  partsOf,
  recalculateModel,
  setModelExternal,
  setModelThreshold,
  statusOf,
  thresholdOf,
  type Limits,
  type Model,
  type ModelThreshold,
} from './model';

/** The nodes of a run, by their number. */
export type Models = ReadonlyArray<Model>;

/** The service: two processes that are asked in turn. */
export interface Real {
  readonly nodeIds: ReadonlyArray<string>;
  /** The calls so far. */
  readonly calls: () => number;
  readonly call: (
    method: 'GET' | 'PUT' | 'PATCH' | 'POST',
    path: string,
    userId: string,
    body?: unknown,
    headers?: Headers,
  ) => Promise<Called>;
}
type Headers = Readonly<Record<string, string>>;

/** A caller of two APIs, each call by the next one. */
export const realOf = (
  caller: Caller,
  urls: ReadonlyArray<string>,
  signToken: (userId: string) => Promise<string>,
  nodes: number,
): Real => {
  let calls = 0;
  return {
    nodeIds: Array.from({ length: nodes }, () => randomUUID()),
    calls: () => calls,
    call: async (method, path, userId, body, headers = {}) => {
      calls += 1;
      const type = method === 'PATCH' ? 'application/json-patch+json' : 'application/json';
      return caller.call(urls[calls % urls.length] ?? '', {
        method,
        path,
        headers: {
          Authorization: await signToken(userId),
          ...(body !== undefined && { 'Content-Type': type }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    },
  };
};

type Step = (model: Model, real: Real, nodeId: string, userId: string) => Promise<void>;
type Command = fc.AsyncCommand<Models, Real>;
export type Commands = Iterable<Command>;

/** A step on one node by one user, under a name that tells a failed run. */
const command = (name: string, node: number, userId: string, step: Step): Command => ({
  check: () => true,
  run: async (models, real) => {
    const [model, nodeId] = [models[node], real.nodeIds[node]];
    if (model === undefined || nodeId === undefined) throw new Error(`there is no node ${node}`);
    await step(model, real, nodeId, userId);
  },
  toString: () => `${name} on ${node} by ${userId}`,
});

const answered = (reply: Called, status: number): void =>
  expect([reply.status, reply.fault], reply.body).toEqual([status, undefined]);

const thresholdPath = (nodeId: string): string => `/v1/point-alarm-threshold/${nodeId}`;
const statusPath = (nodeId: string): string => `/v1/alarm-status/${nodeId}`;

const setThreshold =
  (threshold: ModelThreshold, ifMatch?: number): Step =>
  async (model, real, nodeId, userId) => {
    const matches = ifMatch === undefined || ifMatch === model.revision;
    const condition = ifMatch === undefined ? {} : { 'If-Match': `"${ifMatch}"` };
    answered(await real.call('PUT', thresholdPath(nodeId), userId, threshold, condition), matches ? 204 : 412);
    if (matches) setModelThreshold(model, userId, threshold);
  };

const patchLimit =
  (expected: number | undefined, innerHigh: number): Step =>
  async (model, real, nodeId, userId) => {
    const operations = [
      ...(expected === undefined ? [] : [{ op: 'test', path: '/overall/innerHigh', value: expected }]),
      { op: 'replace', path: '/overall/innerHigh', value: innerHigh },
    ];
    const reply = await real.call('PATCH', thresholdPath(nodeId), userId, operations);
    const { overall } = thresholdOf(model);
    const isGood =
      overall !== undefined &&
      (expected === undefined || expected === overall.innerHigh) &&
      innerHigh >= overall.innerLow &&
      innerHigh <= overall.outerHigh;
    answered(reply, isGood ? 200 : 409);
    if (!isGood) return;
    const patched = { ...thresholdOf(model), overall: { ...overall, innerHigh } };
    if (innerHigh !== overall.innerHigh) setModelThreshold(model, userId, patched);
    expect(JSON.parse(reply.body)).toEqual({ nodeId, ...patched });
  };

/** Rises from measurement to measurement, so that each is the newest. */
let createdAt = Date.parse('2026-01-01T00:00:00Z');
const about = () => ({ measurementId: randomUUID(), createdAt: new Date((createdAt += 1_000)).toISOString() });

const measurePoint =
  (y: number, again: boolean): Step =>
  async (model, real, nodeId, userId) => {
    const measurement = {
      ...about(),
      contentType: 'DATA_POINT',
      dataPoint: { coordinate: { x: 0, y }, xUnit: 's', yUnit: 'C' },
    };
    for (let times = again ? 2 : 1; times > 0; times -= 1) {
      answered(await real.call('PUT', statusPath(nodeId), userId, measurement), 204);
    }
    measure(model, userId, { point: { id: measurement.measurementId, y } });
  };

const answerQuestions =
  (given: ReadonlyArray<string>): Step =>
  async (model, real, nodeId, userId) => {
    const measurement = { ...about(), contentType: 'QUESTION_ANSWERS', questionAnswers: given };
    answered(await real.call('PUT', statusPath(nodeId), userId, measurement), 204);
    measure(model, userId, { answers: { id: measurement.measurementId, given } });
  };

const recalculate: Step = async (model, real, nodeId, userId) => {
  answered(await real.call('PUT', statusPath(nodeId), userId), 204);
  recalculateModel(model, userId);
};

const setExternal =
  (status: number, setBy: string | undefined): Step =>
  async (model, real, nodeId, userId) => {
    const external = { status, ...(setBy !== undefined && { setBy }) };
    answered(await real.call('PUT', `${statusPath(nodeId)}/status/external`, userId, external), 204);
    setModelExternal(model, userId, external);
  };

const readThreshold: Step = async (model, real, nodeId, userId) => {
  const reply = await real.call('GET', thresholdPath(nodeId), userId);
  answered(reply, 200);
  expect(JSON.parse(reply.body)).toEqual({ nodeId, ...thresholdOf(model) });
  expect(reply.headers['etag']).toBe(`"${model.revision}"`);
};

const readStatus: Step = async (model, real, nodeId, userId) => {
  const reply = await real.call('GET', statusPath(nodeId), userId);
  answered(reply, 200);
  const { updatedAt: _, ...status } = JSON.parse(reply.body);
  expect(status).toEqual({ nodeId, status: statusOf(model), ...partsOf(model) });
};

const readBatch = (nodes: ReadonlyArray<number>): Command => ({
  check: () => true,
  run: async (models, real) => {
    const nodeIDs = nodes.map((node) => real.nodeIds[node]);
    const reply = await real.call('POST', '/v1/point-alarm-threshold-batch', 'reader', { nodeIDs });
    answered(reply, 200);
    expect(JSON.parse(reply.body)).toEqual({
      thresholds: nodes.map((node) => ({ nodeId: real.nodeIds[node], ...thresholdOf(models[node]!) })),
    });
  },
  toString: () => `batch of ${nodes.join()}`,
});

const refused =
  (body: unknown): Step =>
  async (_, real, nodeId, userId) => {
    answered(await real.call('PUT', thresholdPath(nodeId), userId, body), 400);
  };

/** So few values that measurements often meet a limit. */
const small = fc.integer({ min: 0, max: 5 });
const limits: fc.Arbitrary<Limits> = fc.uniqueArray(small, { minLength: 4, maxLength: 4 }).map((values) => {
  const [outerLow = 0, innerLow = 0, innerHigh = 0, outerHigh = 0] = [...values].sort((one, other) => one - other);
  return { unit: 'C', outerLow, innerLow, innerHigh, outerHigh };
});
const inspection = fc
  .uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 })
  .chain((answers) =>
    fc
      .tuple(...answers.map((answer) => fc.nat(4).map((status) => ({ answer, status }))))
      .map((choices) => ({ choices })),
  );
const thresholds: fc.Arbitrary<ModelThreshold> = fc.oneof(
  fc.record({ thresholdType: fc.constantFrom(1, 2), overall: limits }),
  fc.record({ thresholdType: fc.constant(3), inspection }),
  fc.record({ thresholdType: fc.constantFrom(1, 2), overall: limits, inspection }),
  fc.constant({ thresholdType: 0 }),
);

/** Sequences of all operations by several users on `nodes` nodes. */
export const modelCommands = (nodes: number, size: number): fc.Arbitrary<Commands> => {
  const on = <A>(name: string, given: fc.Arbitrary<A>, step: (value: A) => Step): fc.Arbitrary<Command> =>
    fc
      .tuple(given, fc.nat(nodes - 1), fc.constantFrom('ada', 'grace', 'edsger'))
      .map(([value, node, userId]) => command(`${name} ${JSON.stringify(value)}`, node, userId, step(value)));
  const optional = <A>(of: fc.Arbitrary<A>) => fc.option(of, { nil: undefined });
  const measurements = on('measure', fc.tuple(fc.integer({ min: -1, max: 6 }), fc.boolean()), ([y, again]) =>
    measurePoint(y, again),
  );
  return fc.commands(
    [
      measurements,
      measurements,
      measurements,
      on('set', fc.tuple(thresholds, optional(fc.nat(3))), ([threshold, ifMatch]) => setThreshold(threshold, ifMatch)),
      on('set freely', thresholds, (threshold) => setThreshold(threshold)),
      on('patch', fc.tuple(optional(small), small), ([expected, innerHigh]) => patchLimit(expected, innerHigh)),
      on('answer', fc.subarray(['a', 'b', 'c', 'none']), answerQuestions),
      on('recalculate', fc.constant(undefined), () => recalculate),
      on('external', fc.tuple(fc.nat(4), optional(fc.uuid())), ([status, setBy]) => setExternal(status, setBy)),
      on('refuse', fc.constantFrom({ thresholdType: 1 }, { overall: {} }, { x: 1 }), refused),
      on('read threshold', fc.constant(undefined), () => readThreshold),
      on('read status', fc.constant(undefined), () => readStatus),
      fc.array(fc.nat(nodes - 1), { maxLength: 4 }).map(readBatch),
    ],
    { maxCommands: size, size: 'max' },
  );
};

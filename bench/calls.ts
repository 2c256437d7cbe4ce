import { randomUUID } from 'node:crypto';
import { Client, Connection, type WorkflowClient } from '@temporalio/client';
import { Agent } from 'undici';
import { reasonOf } from '../process/reason-of';
import { WORKFLOW_TYPE } from '../workflows/messages';
import { counter, countUpdate, TASK_QUEUE, totalQuery } from './counter.workflow';
import type { BenchStack } from './stack';

/** Nodes of a set, by `nodeId(set, 0..count-1)`. */
export interface Nodes {
  readonly set: number;
  readonly count: number;
}

/** The node of this place in a set; no two sets share a node. */
export const nodeId = (set: number, place: number): string =>
  `be9c0000-${set.toString(16).padStart(4, '0')}-4000-8000-${place.toString(16).padStart(12, '0')}`;

let sets = 0;

export const freshNodes = (count: number): Nodes => {
  sets += 1;
  return { set: sets, count };
};

/** What each call of a load does; the nodes take turns by its number. */
export interface Calls {
  readonly name: string;
  readonly workflowType: string;
  /** What a new node takes first, once each. */
  readonly prepare: ReadonlyArray<Calls>;
  readonly open: (stack: BenchStack, nodes: Nodes) => Promise<OpenCalls>;
}

interface OpenCalls {
  /** Makes the call of this number. Returns its error, or an empty string. Never rejects. */
  readonly call: (number: number) => Promise<string>;
  readonly close: () => Promise<void>;
}

type Request = readonly [method: 'PUT' | 'GET' | 'POST', path: string, content?: object];

/** Calls of the service over keep-alive connections, as many as needed. Any status but 200 and 204 is a failure. */
const http = (
  name: string,
  prepare: ReadonlyArray<Calls>,
  requestOf: (node: string, number: number, nodes: Nodes) => Request,
): Calls => ({
  ...{ name, prepare, workflowType: WORKFLOW_TYPE },
  open: ({ api, token }, nodes) => {
    const agent = new Agent();
    const authorization = `Bearer ${token}`;
    const call = async (number: number): Promise<string> => {
      const [method, path, content] = requestOf(nodeId(nodes.set, number % nodes.count), number, nodes);
      const body = content === undefined ? {} : { body: JSON.stringify(content) };
      const headers = { authorization, ...(content !== undefined && { 'content-type': 'application/json' }) };
      try {
        const answer = await agent.request({ origin: api, method, path: `/v1/${path}`, headers, ...body });
        await answer.body.arrayBuffer();
        return answer.statusCode === 200 || answer.statusCode === 204 ? '' : String(answer.statusCode);
      } catch (error) {
        return reasonOf(error);
      }
    };
    return Promise.resolve({ call, close: () => agent.close() });
  },
});

const limits = { unit: 'C', outerHigh: 70, innerHigh: 50, innerLow: 20, outerLow: 10 };
const threshold = { thresholdType: 2, overall: limits };
const setThreshold = http('setThreshold', [], (node) => ['PUT', `point-alarm-threshold/${node}`, threshold]);

const measurements = (dangerEvery: ReadonlyArray<number>, prepare: ReadonlyArray<Calls>): Calls =>
  http('recordMeasurement', prepare, (node, number, { count }) => [
    'PUT',
    `alarm-status/${node}`,
    measurementOf(number, count, dangerEvery),
  ]);

/**
 * Of a node's measurements one in so many is in DANGER, the nodes in turn: one in a hundred is, so that one in fifty changes
 * the status, or every other is, so that each changes it, or either with half of the nodes.
 */
export const CALM = [100];
export const FLAPPING = [2];
export const NEVER = [Infinity];

/** A node that flaps changes at each turn, from the first one on. The rare turns in DANGER of the others are spread over time. */
export const measurementOf = (number: number, count: number, dangerEvery: ReadonlyArray<number>) => {
  const place = number % count;
  const every = dangerEvery[place % dangerEvery.length] ?? 1;
  const turn = Math.floor(number / count) + (FLAPPING.includes(every) ? 0 : 1 + place);
  return {
    ...{ measurementId: randomUUID(), createdAt: new Date().toISOString(), contentType: 'DATA_POINT' },
    dataPoint: { coordinate: { x: 0, y: turn % every === 0 ? 65 : 30 + (number % 10) }, xUnit: 's', yUnit: 'C' },
  };
};

const outOfDanger = measurements(NEVER, [setThreshold]);
/** A first measurement costs more: it changes the status. */
const measured = [setThreshold, outOfDanger];

export const service = {
  setThreshold,
  outOfDanger,
  calm: measurements(CALM, measured),
  flapping: measurements(FLAPPING, measured),
  calmAndFlapping: measurements([...CALM, ...FLAPPING], measured),
  status: http('alarmStatus', measured, (node) => ['GET', `alarm-status/${node}`]),
  threshold: http('threshold', measured, (node) => ['GET', `point-alarm-threshold/${node}`]),
  batch: (size: number) =>
    http('batch', measured, (_, number, { set, count }) => {
      const nodeIDs = Array.from({ length: size }, (__, place) => nodeId(set, (number + place) % count));
      return ['POST', 'point-alarm-threshold-batch', { nodeIDs }];
    }),
};

/** Calls of the baseline's entities, by the unmodified Temporal client. */
const entities = (
  name: string,
  prepare: ReadonlyArray<Calls>,
  make: (workflow: WorkflowClient, workflowId: string, turn: number) => Promise<unknown>,
): Calls => ({
  ...{ name, prepare, workflowType: 'counter' },
  open: async ({ temporal }, nodes) => {
    const connection = await Connection.connect({ address: temporal });
    const { workflow } = new Client({ connection });
    const call = (number: number): Promise<string> => {
      const workflowId = `baseline-${nodeId(nodes.set, number % nodes.count)}`;
      return make(workflow, workflowId, Math.floor(number / nodes.count)).then(() => '', reasonOf);
    };
    return { call, close: () => connection.close() };
  },
});

const start = entities('baselineStart', [], (workflow, workflowId) =>
  workflow.start(counter, { workflowId, taskQueue: TASK_QUEUE, args: [0] }),
);

const update = (name: string, argumentsOf: (turn: number) => [number, number?]): Calls =>
  entities(name, [start], (workflow, workflowId, turn) =>
    workflow.getHandle(workflowId).executeUpdate(countUpdate, { args: argumentsOf(turn) }),
  );

export const baseline = {
  update: update('baselineUpdate', () => [1]),
  flap: update('baselineFlap', (turn) => [1, 2 + (turn % 2)]),
  query: entities('baselineQuery', [start], (workflow, workflowId) => workflow.getHandle(workflowId).query(totalQuery)),
};

import { randomUUID } from 'node:crypto';
import { Client, Connection, type WorkflowClient } from '@temporalio/client';
import { Agent } from 'undici';
import { reasonOf } from '../../process/reason-of';
import { WORKFLOW_TYPE } from '../../workflows/messages';
import { counterWorkflow, countUpdate, TASK_QUEUE, totalQuery } from './counter.workflow';
import type { BenchStack } from './stack';

/** A set of nodes, whose ids are `nodeId(set, place)` for each place from 0 to `count - 1`. */
export interface Nodes {
  readonly set: number;
  readonly count: number;
}

/** The id of the node at this place in a set. No two sets share a node. */
export const nodeId = (set: number, place: number): string =>
  `be9c0000-${set.toString(16).padStart(4, '0')}-4000-8000-${place.toString(16).padStart(12, '0')}`;

let sets = 0;

export const freshNodes = (count: number): Nodes => {
  sets += 1;
  return { set: sets, count };
};

/** A kind of call, such as a measurement. Calls are numbered; a call's number selects its node, so the nodes take turns. */
export interface Calls {
  readonly name: string;
  readonly workflowType: string;
  /** The calls that each new node gets once before it is measured. */
  readonly prepare: ReadonlyArray<Calls>;
  readonly open: (stack: BenchStack, nodes: Nodes) => Promise<OpenCalls>;
}

interface OpenCalls {
  /** Makes one call. Returns its error, or an empty string. Never rejects. */
  readonly call: (number: number) => Promise<string>;
  readonly close: () => Promise<void>;
}

type Request = readonly [method: 'PUT' | 'GET' | 'POST', path: string, content?: object];

/** Calls of the service's API over as many keep-alive connections as are needed. Any status but 200 and 204 is a failure. */
const http = (
  name: string,
  prepare: ReadonlyArray<Calls>,
  requestOf: (node: string, number: number, nodes: Nodes) => Request,
): Calls => ({
  name,
  prepare,
  workflowType: WORKFLOW_TYPE,
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

/** The same calls, sent to the API of the previous release. */
export const callsOfPreviousRelease = (calls: Calls): Calls => ({
  ...calls,
  prepare: calls.prepare.map(callsOfPreviousRelease),
  open: (stack, nodes) => calls.open({ ...stack, api: stack.before ?? stack.api }, nodes),
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
 * How many measurements a node gets for each one in DANGER. `CALM`: 100, so that one in 50 changes the status. `FLAPPING`: 2,
 * so that each changes it. If a list has several numbers, the nodes of a load take them in turn.
 */
export const CALM = [100];
export const FLAPPING = [2];
export const NEVER = [Infinity];

/** The measurement of a call. A node that flaps changes its status each time; the others have DANGER at different times. */
export const measurementOf = (number: number, count: number, dangerEvery: ReadonlyArray<number>) => {
  const place = number % count;
  const every = dangerEvery[place % dangerEvery.length] ?? 1;
  const turn = Math.floor(number / count) + (FLAPPING.includes(every) ? 0 : 1 + place);
  return {
    measurementId: randomUUID(),
    createdAt: new Date().toISOString(),
    contentType: 'DATA_POINT',
    dataPoint: { coordinate: { x: 0, y: turn % every === 0 ? 65 : 30 + (number % 10) }, xUnit: 's', yUnit: 'C' },
  };
};

const outOfDanger = measurements(NEVER, [setThreshold]);
/** A node's first measurement is part of the preparation: it changes the status, and so costs more than later ones. */
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

/** Calls of the baseline's workflows, made by the unmodified Temporal client. */
const entities = (
  name: string,
  prepare: ReadonlyArray<Calls>,
  make: (workflow: WorkflowClient, workflowId: string, turn: number) => Promise<unknown>,
): Calls => ({
  name,
  prepare,
  workflowType: 'counterWorkflow',
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
  workflow.start(counterWorkflow, { workflowId, taskQueue: TASK_QUEUE, args: [0] }),
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

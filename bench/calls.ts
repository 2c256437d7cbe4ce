import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { Agent } from 'undici';
import { projectRoot } from '../stack/project-root';
import { counter, countUpdate, totalQuery, type Brought } from './counter.workflow';
import { BASELINE_TASK_QUEUE, FLAPPING, isBaseline, nodeId, type BaselineCalls, type HttpCalls, type Job } from './job';

/** Makes the call of this number. Returns its error, or an empty string. Never rejects. */
export type MakeCall = (number: number) => Promise<string>;

/** The calls of a job; the first node is called first. */
export const callsOf = ({ calls, ...job }: Job): Promise<MakeCall> =>
  isBaseline(calls) ? baselineCalls(calls, job) : Promise.resolve(httpCalls(calls, job));

/** Longer than the deadline of a call in the API. */
const PATIENCE_MS = 20_000;

/** Calls of the service over keep-alive connections, as many as needed. Any status but 200 and 204 is a failure. */
export const httpCalls = (calls: HttpCalls, { api, token, nodes }: Pick<Job, 'api' | 'token' | 'nodes'>): MakeCall => {
  const agent = new Agent({ headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS });
  const authorization = `Bearer ${token}`;
  return async (number) => {
    const [method, path, content] = requestOf(calls, nodes, number);
    const body = content === undefined ? {} : { body: JSON.stringify(content) };
    const headers = { authorization, ...(content !== undefined && { 'content-type': 'application/json' }) };
    try {
      const answer = await agent.request({ origin: api, method, path: `/v1/${path}`, headers, ...body });
      await answer.body.arrayBuffer();
      return answer.statusCode === 200 || answer.statusCode === 204 ? '' : String(answer.statusCode);
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : String(error);
    }
  };
};

type Request = readonly [method: 'PUT' | 'GET' | 'POST', path: string, content?: object];

const requestOf = (calls: HttpCalls, { set, count }: Job['nodes'], number: number): Request => {
  const node = nodeId(set, number % count);
  switch (calls.kind) {
    case 'setThreshold':
      return ['PUT', `point-alarm-threshold/${node}`, threshold];
    case 'setSpectrumThreshold':
      return ['PUT', `point-alarm-threshold/${node}`, spectrumThreshold];
    case 'recordSpectrum':
      return ['PUT', `alarm-status/${node}`, spectrumOf(calls.lines)];
    case 'recordMeasurement':
      return ['PUT', `alarm-status/${node}`, measurementOf(number, count, calls.dangerEvery)];
    case 'alarmStatus':
      return ['GET', `alarm-status/${node}`];
    case 'threshold':
      return ['GET', `point-alarm-threshold/${node}`];
    case 'batch': {
      const nodeIDs = Array.from({ length: calls.size }, (_, place) => nodeId(set, (number + place) % count));
      return ['POST', 'point-alarm-threshold-batch', { nodeIDs }];
    }
  }
};

const threshold = {
  thresholdType: 2,
  overall: { unit: 'C', outerHigh: 70, innerHigh: 50, innerLow: 20, outerLow: 10 },
};

const exampleOf = (name: string) =>
  JSON.parse(readFileSync(join(projectRoot, 'docs/examples', `outer-race${name}.json`), 'utf8'));

/** Ten bands, and a HAL for each fault of a bearing. */
const { bandAlarms, ...others } = exampleOf('-threshold');
const spectrumThreshold = { ...others, bandAlarms: Array.from({ length: 10 }, () => bandAlarms[0]) };
const { spectrum }: { readonly spectrum: { readonly coordinates: ReadonlyArray<object> } } = exampleOf('');

/** The first `lines` of a spectrum in which only the shaft and one fault stand out. */
const spectrumOf = (lines: number) => ({
  ...newMeasurement('SPECTRUM'),
  spectrum: { ...spectrum, coordinates: spectrum.coordinates.slice(0, lines) },
});

const newMeasurement = (contentType: string) => ({
  measurementId: randomUUID(),
  createdAt: new Date().toISOString(),
  contentType,
});

/** A node that flaps changes at each turn, from the first one on. The rare turns in DANGER of the others are spread over time. */
export const measurementOf = (number: number, count: number, dangerEvery: ReadonlyArray<number>) => {
  const place = number % count;
  const every = dangerEvery[place % dangerEvery.length] ?? 1;
  const turn = Math.floor(number / count) + (FLAPPING.includes(every) ? 0 : 1 + place);
  return {
    ...newMeasurement('DATA_POINT'),
    dataPoint: { coordinate: { x: 0, y: turn % every === 0 ? 65 : 30 + (number % 10) }, xUnit: 's', yUnit: 'C' },
  };
};

/** Calls of the baseline's entities, by the unmodified Temporal client. */
const baselineCalls = async (calls: BaselineCalls, { temporal, nodes }: Omit<Job, 'calls'>): Promise<MakeCall> => {
  const { workflow } = new Client({ connection: await Connection.connect({ address: temporal }) });
  const bytes = calls.kind === 'baselineUpdate' ? calls.bytes : undefined;
  const update: [number, Brought?] = bytes === undefined ? [1] : [1, { content: 'x'.repeat(bytes) }];
  const call = async (workflowId: string, turn: number): Promise<unknown> => {
    const entity = workflow.getHandle(workflowId);
    switch (calls.kind) {
      case 'baselineStart':
        return workflow.start(counter, { workflowId, taskQueue: BASELINE_TASK_QUEUE, args: [0] });
      case 'baselineUpdate':
        return entity.executeUpdate(countUpdate, { args: update });
      case 'baselineFlap':
        return entity.executeUpdate(countUpdate, { args: [1, { status: 2 + (turn % 2) }] });
      case 'baselineQuery':
        return entity.query(totalQuery);
    }
  };
  return async (number) => {
    try {
      await call(`baseline-${nodeId(nodes.set, number % nodes.count)}`, Math.floor(number / nodes.count));
      return '';
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      return (cause instanceof Error ? cause.message : String(cause)).slice(0, 80);
    }
  };
};

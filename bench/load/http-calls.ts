import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { nodeId, type HttpTarget, type Job } from './job';
import type { MakeCall } from './run-load';

/** Longer than the deadline of a call in the API. */
const PATIENCE_MS = 20_000;

/** Calls of the service over keep-alive connections, as many as needed. Any status but 200 and 204 is a failure. */
export const httpCalls = (target: HttpTarget, pattern: Job['pattern']): MakeCall => {
  const { hostname, port } = new URL(target.base);
  const agent = new Agent({ keepAlive: true, ...(pattern.kind !== 'fixed' && { maxSockets: pattern.callers }) });
  const headers = target.tokens.map((token) => ({ Authorization: `Bearer ${token}` }));
  return (number) =>
    new Promise((resolve) => {
      const [method, path, content] = requestOf(target, number);
      const body = content && JSON.stringify(content);
      const length = body !== undefined && {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      };
      const options = { hostname, port, agent, method, path: `/v1/${path}`, timeout: PATIENCE_MS };
      const sent = request({ ...options, headers: { ...headers[number % headers.length], ...length } }, (response) => {
        response.resume();
        response.on('end', () => {
          const { statusCode = 0 } = response;
          resolve(statusCode === 200 || statusCode === 204 ? '' : String(statusCode));
        });
        response.on('error', (error) => {
          resolve(error.message);
        });
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        resolve(error.code ?? error.message);
      });
      sent.on('timeout', () => sent.destroy(new Error('no answer')));
      sent.end(body);
    });
};

type Request = readonly [method: 'PUT' | 'GET' | 'POST', path: string, content?: object];

const requestOf = (target: HttpTarget, number: number): Request => {
  const { set, count } = target.nodes;
  const node = nodeId(set, number % count);
  switch (target.kind) {
    case 'setThreshold':
      return ['PUT', `point-alarm-threshold/${node}`, threshold];
    case 'recordMeasurement':
      return ['PUT', `alarm-status/${node}`, measurementOf(number, target)];
    case 'alarmStatus':
      return ['GET', `alarm-status/${node}`];
    case 'threshold':
      return ['GET', `point-alarm-threshold/${node}`];
    case 'batch': {
      const nodeIDs = Array.from({ length: target.size }, (_, place) => nodeId(set, (number + place) % count));
      return ['POST', 'point-alarm-threshold-batch', { nodeIDs }];
    }
  }
};

const threshold = {
  thresholdType: 2,
  overall: { unit: 'C', outerHigh: 70, innerHigh: 50, innerLow: 20, outerLow: 10 },
};

/** The nodes' turns in DANGER are spread over time. */
const measurementOf = (
  number: number,
  { nodes: { count }, dangerEvery }: Extract<HttpTarget, { readonly kind: 'recordMeasurement' }>,
) => {
  const turn = 1 + Math.floor(number / count) + (number % count);
  return {
    measurementId: randomUUID(),
    createdAt: new Date().toISOString(),
    contentType: 'DATA_POINT',
    dataPoint: { coordinate: { x: 0, y: turn % dangerEvery === 0 ? 65 : 30 + (number % 10) }, xUnit: 's', yUnit: 'C' },
  };
};

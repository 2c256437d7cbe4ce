import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { projectRoot } from '../../stack/project-root';
import { FLAPS, nodeId, type HttpTarget, type Job } from './job';
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
    case 'setSpectrumThreshold':
      return ['PUT', `point-alarm-threshold/${node}`, spectrumThreshold];
    case 'recordSpectrum':
      return ['PUT', `alarm-status/${node}`, spectrumOf(target.lines)];
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
export const measurementOf = (
  number: number,
  { nodes: { count }, dangerEvery }: Extract<HttpTarget, { readonly kind: 'recordMeasurement' }>,
) => {
  const place = number % count;
  const every = dangerEvery[place % dangerEvery.length] ?? 1;
  const turn = Math.floor(number / count) + (every === FLAPS ? 0 : 1 + place);
  return {
    ...newMeasurement('DATA_POINT'),
    dataPoint: { coordinate: { x: 0, y: turn % every === 0 ? 65 : 30 + (number % 10) }, xUnit: 's', yUnit: 'C' },
  };
};

import { expect, test } from 'vitest';
import { busyTimes, type CpuProfile } from '../../../bench/profile/busy-times';

const node = (id: number, functionName: string, url: string, children: ReadonlyArray<number> = []) => ({
  id,
  callFrame: { functionName, url, lineNumber: 0, columnNumber: 0 },
  children,
});

const profile: CpuProfile = {
  nodes: [
    node(1, '(root)', '', [2, 6, 7, 8]),
    node(2, 'answer', 'file:///p/dist/api/answer.js', [3, 4, 5]),
    node(3, 'map', ''),
    node(4, 'write', 'node:net'),
    node(5, 'route', 'file:///p/node_modules/@koa/router/lib/router.js', [9]),
    node(6, '(idle)', ''),
    node(7, '(garbage collector)', ''),
    node(8, '(program)', ''),
    node(9, 'match', 'file:///p/node_modules/@koa/router/node_modules/path-to-regexp/index.js'),
  ],
  startTime: 1_000_000,
  samples: [2, 3, 4, 5, 6, 7, 8, 9, 2],
  timeDeltas: [0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000],
};
const fileOf = ({ url }: { readonly url: string }): string => url;

test('each sample lasts until the next one, and is of whose code it is; natives are of their callers', () => {
  expect(busyTimes(profile, { from: 0, to: Infinity }, fileOf)).toEqual({
    'this project': 3, // answer and map
    Node: 3,
    '@koa/router': 4,
    'garbage collection': 6,
    'native code': 7,
    'path-to-regexp': 8,
  });
});

test('what was before or after the span does not count', () => {
  expect(busyTimes(profile, { from: 1_001_000, to: 1_006_000 }, fileOf)).toEqual({ 'this project': 2, Node: 3 });
});

test('a script made of several files counts for each of them', () => {
  const bundled = ({ functionName }: { readonly functionName: string }): string =>
    functionName === 'answer' ? 'webpack://x/node_modules/long/index.js' : 'webpack://x/workflows/domain/node.ts';
  expect(busyTimes(profile, { from: 0, to: 1_002_000 }, bundled)).toEqual({ long: 3 });
});

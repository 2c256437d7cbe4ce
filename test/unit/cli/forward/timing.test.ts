import { describe, expect, test } from 'vitest';
import { delays, silences, timingOf, type Durations } from '../../../../cli/forward/alertmanager/timing';
import type { NodeTree } from '../../../../process/files/hierarchy-file';

const given = (...texts: ReadonlyArray<string>): Durations =>
  texts.reduce<Durations | undefined>((before, text) => delays(text, before), undefined) ?? [];

const nodes = [
  { id: 'plant', type: 'plant' },
  { id: 'pump', type: 'pump', parent: 'plant' },
  { id: 'end', type: 'sensor', parent: 'pump' },
  { id: 'odd', type: 'a=b', parent: 'plant' },
];
const tree: NodeTree = new Map(nodes.map((node) => [node.id, node]));
const of = (hold: number, keepFiringFor: number) => ({ for: hold, keepFiringFor });

describe('what holds for a node', () => {
  test.each<[name: string, options: Parameters<typeof timingOf>[0], node: string, danger: number, alert: number]>([
    ['nothing', {}, 'end', 0, 0],
    ['that of all', { for: given('10m') }, 'end', 600_000, 600_000],
    ['that of a severity before that of all', { for: given('10m', 'danger=0s') }, 'end', 0, 600_000],
    ['that of its type before that of all', { for: given('10m', 'sensor=5s') }, 'end', 5_000, 5_000],
    ['that of the nearest type above it', { for: given('plant=1s', 'pump=5s') }, 'end', 5_000, 5_000],
    ['that of a severity before that of its type', { for: given('sensor=5s', 'danger=1s') }, 'end', 1_000, 5_000],
    ['that of all for a node that the hierarchy lacks', { for: given('1m', 'sensor=5s') }, 'x', 60_000, 60_000],
    ['that of a type with an equals sign', { for: given('a=b=5s') }, 'odd', 5_000, 5_000],
  ])('%s', (_, options, node, danger, alert) => {
    expect(timingOf(options, tree, 'h.json').of(node).delays).toEqual({ danger: of(danger, 0), alert: of(alert, 0) });
  });

  test('how long it is kept firing, and after how long it is silent', () => {
    const options = { keepFiringFor: given('alert=5m'), silentAfter: given('1h', 'sensor=2h') };
    const timing = timingOf(options, tree, 'h.json');
    expect(timing.of('end')).toEqual({ delays: { danger: of(0, 0), alert: of(0, 300_000) }, silentAfterMs: 7_200_000 });
    expect(timing.of('plant').silentAfterMs).toBe(3_600_000);
    expect([timing.isDelayed, timing.silentAfter]).toEqual([true, { shortestMs: 3_600_000, longestMs: 7_200_000 }]);
    const some = timingOf({ for: given('0s'), silentAfter: given('sensor=2h') }, tree, 'h.json');
    expect([some.isDelayed, some.of('plant').silentAfterMs]).toEqual([false, undefined]);
  });
});

describe('what is refused', () => {
  test.each<[text: string, before: ReadonlyArray<string>, reason: string]>([
    ['10', [], 'A time is a number with a unit'],
    ['danger=', [], 'A time is a number with a unit'],
    ['32d', [], 'It is from 0s to 31d.'],
    ['5m', ['10m'], 'It is given twice.'],
    ['danger=5m', ['danger=10m'], 'danger is given twice.'],
  ])('%s after %j', (text, before, reason) => expect(() => delays(text, given(...before))).toThrow(reason));

  test('a silence too short', () => expect(() => silences('1s')).toThrow('It is from 2s to 31d.'));

  test.each<[options: Parameters<typeof timingOf>[0], hierarchy: string | undefined, reason: string]>([
    [
      { for: given('worst=1m') },
      undefined,
      '--for worst=: "worst" is no severity (danger, alert), and no known type of node: those need --hierarchy',
    ],
    [
      { keepFiringFor: given('valve=1m') },
      'h.json',
      '--keep-firing-for valve=: "valve" is no severity (danger, alert), and no type of a node in h.json',
    ],
    [{ silentAfter: given('danger=1m') }, 'h.json', '--silent-after danger=: "danger" is no type of a node in h.json'],
  ])('%j with %s', (options, hierarchy, reason) => {
    expect(() => timingOf(options, hierarchy === undefined ? new Map() : tree, hierarchy)).toThrow(reason);
  });
});

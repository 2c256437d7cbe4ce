import { describe, expect, test } from 'vitest';
import { alarmsDiffer, hasParts, worstOf, type Parts } from '../../../../../workflows/domain/alarm/parts';
import { worst, type Status } from '../../../../../workflows/domain/alarm/status';

describe('worst', () => {
  test.each<[name: string, statuses: ReadonlyArray<Status>, then: Status]>([
    ['none is NOT_CONFIGURED', [], 0],
    ['one is itself', [3], 3],
    ['GOOD and ALERT are ALERT', [2, 3], 3],
    ['DANGER wins wherever it stands', [4, 2, 1, 0], 4],
    ['NO_DATA is worse than NOT_CONFIGURED', [0, 1], 1],
    ['GOOD is worse than NO_DATA', [2, 1], 2],
  ])('%s', (_name, statuses, then) => {
    expect(worst(statuses)).toBe(then);
  });
});

describe('the status of a node is the worst of its parts', () => {
  test.each<[name: string, parts: Parts, then: Status]>([
    ['no part', {}, 0],
    ['the example of the specification', { inspection: { status: 2 }, external: { status: 3 } }, 3],
    ['a band among good parts', { overall: { status: 2 }, bands: [{ status: 2 }, { status: 4 }] }, 4],
    ['a HAL among good parts', { rateOfChange: { status: 2 }, hals: [{ status: 3 }] }, 3],
    ['an external alarm of NOT_CONFIGURED', { external: { status: 0 } }, 0],
  ])('%s', (_name, parts, then) => {
    expect(worstOf(parts)).toBe(then);
  });
});

describe('a node holds a part', () => {
  test.each<[name: string, parts: Parts, then: boolean]>([
    ['no part', {}, false],
    ['no band and no HAL', { bands: [], hals: [] }, false],
    ['a part that is not configured', { external: { status: 0 } }, true],
    ['a band', { bands: [{ status: 1 }] }, true],
  ])('%s', (_name, parts, then) => {
    expect(hasParts(parts)).toBe(then);
  });
});

describe('alarms changed when a status or the set of parts did', () => {
  test.each<[name: string, before: Parts, after: Parts, then: boolean]>([
    ['nothing', {}, {}, false],
    ['another status', { overall: { status: 2 } }, { overall: { status: 3 } }, true],
    [
      'another measurement',
      { overall: { status: 2, triggeringMeasurement: 'a' } },
      { overall: { status: 2, triggeringMeasurement: 'b' } },
      false,
    ],
    [
      'another caller of an external alarm',
      { external: { status: 2 } },
      { external: { status: 2, setBy: 'a' } },
      false,
    ],
    ['a part more', { overall: { status: 2 } }, { overall: { status: 2 }, external: { status: 2 } }, true],
    ['a part less', { overall: { status: 2 }, external: { status: 2 } }, { external: { status: 2 } }, true],
    ['one part for another', { overall: { status: 2 } }, { inspection: { status: 2 } }, true],
    [
      'bands in another order',
      { bands: [{ status: 2 }, { status: 3 }] },
      { bands: [{ status: 3 }, { status: 2 }] },
      true,
    ],
    [
      'bands with other values',
      { bands: [{ status: 2 }] },
      { bands: [{ status: 2, triggeringMeasurement: 'a' }] },
      false,
    ],
    ['a band more', { bands: [{ status: 2 }] }, { bands: [{ status: 2 }, { status: 2 }] }, true],
    ['a HAL for a band', { bands: [{ status: 2 }] }, { hals: [{ status: 2 }] }, true],
    ['no bands instead of none', { bands: [] }, {}, false],
  ])('%s', (_name, before, after, then) => {
    expect(alarmsDiffer(before, after)).toBe(then);
  });
});

import { expect, test } from 'vitest';
import { alarmsDiffer, hasParts, worstOf, type Parts } from '../../../../../workflows/domain/alarm/parts';

test.each<[name: string, parts: Parts, then: boolean]>([
  ['no part', {}, false],
  ['no band and no HAL', { bands: [], hals: [] }, false],
  ['a part that is not configured', { external: { status: 0 } }, true],
  ['a band', { bands: [{ status: 1 }] }, true],
])('a node holds a part: %s', (_name, parts, then) => expect(hasParts(parts)).toBe(then));

test.each<[name: string, parts: Parts, then: number]>([
  ['no part', {}, 0],
  ['the example of the specification', { inspection: { status: 2 }, external: { status: 3 } }, 3],
  ['a band among good parts', { overall: { status: 2 }, bands: [{ status: 2 }, { status: 4 }] }, 4],
  ['a HAL among good parts', { rateOfChange: { status: 2 }, hals: [{ status: 3 }] }, 3],
])('the status of a node is the worst of its parts: %s', (_name, parts, then) => expect(worstOf(parts)).toBe(then));

const [good, alert, other] = [{ status: 2 }, { status: 3 }, { status: 2, triggeringMeasurement: 'b' }] as const;
test.each<[name: string, before: Parts, after: Parts, then: boolean]>([
  ['another status', { overall: good }, { overall: alert }, true],
  ['another measurement', { overall: good }, { overall: other }, false],
  ['another caller of an external alarm', { external: good }, { external: { ...good, setBy: 'a' } }, false],
  ['a part more', { overall: good }, { overall: good, external: good }, true],
  ['a part less', { overall: good, external: good }, { external: good }, true],
  ['one part for another', { overall: good }, { inspection: good }, true],
  ['bands in another order', { bands: [good, alert] }, { bands: [alert, good] }, true],
  ['bands with other values', { bands: [good] }, { bands: [other] }, false],
  ['a band more', { bands: [good] }, { bands: [good, good] }, true],
  ['a HAL for a band', { bands: [good] }, { hals: [good] }, true],
  ['no bands instead of none', { bands: [] }, {}, false],
])('alarms changed, when a status or the set of parts did: %s', (_name, before, after, then) => {
  expect(alarmsDiffer(before, after)).toBe(then);
});

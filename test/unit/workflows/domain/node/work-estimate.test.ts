import { expect, test } from 'vitest';
import { COMMAND_WORK } from '../../../../../workflows/domain/node/work-estimate';
import { recalculate, recordMeasurement, setExternalAlarm, setThreshold } from '../../../../support/commands';
import { answers, dataPoint, spectrum } from '../../../../support/measurements';
import { accepted, anId, nodeAfter, send, START, type Sent } from '../../../../support/scenario';

const linesOf = (count: number) => Array.from({ length: count }, (_, index) => ({ x: index, y: 1 }));
const older = { measurementId: anId(8), createdAt: '2026-01-30T09:00:00.000Z' };
const many = (count: number, item: object): ReadonlyArray<object> => Array.from({ length: count }, () => item);
const bands = setThreshold({ bandAlarms: many(100, {}) });
const both = setThreshold({ bandAlarms: many(100, {}), halAlarms: many(100, { label: '1x' }) });
const measured = recordMeasurement(spectrum(linesOf(25_600)));
const an = (about: object): Sent => recordMeasurement(spectrum(linesOf(1), { ...about }));
const noLines = { speed: 1, xUnit: 'Hz', yUnit: 'g' };

/** The work of `sent` in ms, after `given`. */
const work = (given: ReadonlyArray<Sent>, sent: Sent): number =>
  accepted(send(nodeAfter(given), sent, START + 60_000)).work / 1_000;

test.each<[name: string, given: ReadonlyArray<Sent>, sent: Sent, least: number, most: number]>([
  ['a small one', [], setExternalAlarm({ status: 2 }), COMMAND_WORK / 1_000, COMMAND_WORK / 1_000],
  ['a data point', [], recordMeasurement(dataPoint(1)), COMMAND_WORK / 1_000, COMMAND_WORK / 1_000],
  ['answers', [], recordMeasurement(answers(['a'])), COMMAND_WORK / 1_000, COMMAND_WORK / 1_000],
  ['a spectrum without lines', [], recordMeasurement(spectrum([], { spectrum: noLines })), 0, 1],
  ['a spectrum that nothing rates', [], measured, 2, 4],
  ['one of half the lines', [], recordMeasurement(spectrum(linesOf(12_800))), 1, 2],
  ['a spectrum that a hundred bands rate', [bands], measured, 5, 10],
  ['a recalculation that rates it again', [bands, measured, an(older)], recalculate(), 3, 6],
  ['one that does not', [bands, measured], recalculate(), 0.5, 2],
  ['a threshold that rates it', [measured], bands, 3, 6],
  ['a hundred bands that show an external alarm', [bands, measured], setExternalAlarm({ status: 2 }), 0.5, 2],
  ['a hundred HALs besides', [both], measured, 10, 200],
  ['a hundred HALs that find no spectrum', [], both, 0.5, 3],
])('the work of a command: %s', (_name, given, sent, least, most) => {
  expect(work(given, sent)).toBeGreaterThanOrEqual(least);
  expect(work(given, sent)).toBeLessThanOrEqual(most);
});

import { expect, test } from 'vitest';
import { packLines } from '../../../../../workflows/domain/measurement/packed-lines';
import { COMMAND_WORK } from '../../../../../workflows/domain/node/work-estimate';
import {
  patchThreshold,
  recalculate,
  recordMeasurement,
  setExternalAlarm,
  setThreshold,
} from '../../../../support/commands';
import { answers, dataPoint, spectrum } from '../../../../support/measurements';
import { anId, nodeAfter, sendGroup, START, type Sent } from '../../../../support/scenario';

const linesOf = (count: number) => Array.from({ length: count }, (_, index) => ({ x: index, y: 1 }));
const noLines = { speed: 1, xUnit: 'Hz', yUnit: 'g' };
const older = { measurementId: anId(8), createdAt: '2026-01-30T09:00:00.000Z' };
const many = (count: number, item: object): ReadonlyArray<object> => Array.from({ length: count }, () => item);
const bands = setThreshold({ bandAlarms: many(100, {}) });
const both = setThreshold({ bandAlarms: many(100, {}), halAlarms: many(100, { label: '1x' }) });
const packed = (count: number): Sent =>
  recordMeasurement(spectrum([], { spectrum: { ...noLines, lines: packLines(linesOf(count)) } }));
const measured = packed(25_600);
const manyAnswers = recordMeasurement(answers(Array.from({ length: 30_000 }, () => 'a')));
const inspected = setThreshold({ inspection: { choices: [{ answer: 'a', status: 2 }] } });
const large = setThreshold({ halAlarms: many(100, { label: '1x '.repeat(300) }) });
const refused = [{ op: 'test', path: '/fullScale', value: 1 }];
const an = (about: object): Sent => recordMeasurement(spectrum(linesOf(1), { ...about }));

/** The work of `sent` in ms, after `given`, whether it is accepted or not. */
const work = (given: ReadonlyArray<Sent>, [name, payload]: Sent): number =>
  sendGroup(nodeAfter(given), { commands: [{ name, ...payload }] }, START + 60_000).work / 1_000;

test.each<[name: string, given: ReadonlyArray<Sent>, sent: Sent, least: number, most: number]>([
  ['a small one', [], setExternalAlarm({ status: 2 }), COMMAND_WORK / 1_000, 0.31],
  ['a data point', [], recordMeasurement(dataPoint(1)), COMMAND_WORK / 1_000, 0.31],
  ['answers', [], recordMeasurement(answers(['a'])), COMMAND_WORK / 1_000, 0.31],
  ['many answers', [], manyAnswers, 5, 20],
  ['a recalculation of many that nothing rates', [bands, manyAnswers], recalculate(), 0.3, 1],
  ['a recalculation of many', [inspected, manyAnswers], recalculate(), 5, 20],
  ['a spectrum without lines', [], recordMeasurement(spectrum([], { spectrum: noLines })), 0, 1],
  ['a spectrum that nothing rates', [], measured, 2, 5],
  ['one of half the lines', [], packed(12_800), 1, 3],
  ['one whose lines are not packed', [], recordMeasurement(spectrum(linesOf(25_600))), 15, 40],
  ['a threshold of much text', [], large, 5, 30],
  ['a threshold that is none', [], ['setThreshold', { threshold: 5 }], COMMAND_WORK / 1_000, 0.4],
  ['a patch that is none', [], ['patchThreshold', { operations: 5 }], COMMAND_WORK / 1_000, 0.4],
  ['a spectrum that a hundred bands rate', [bands], measured, 5, 10],
  ['a recalculation that rates it again', [bands, measured, an(older)], recalculate(), 3, 6],
  ['one that does not', [bands, measured], recalculate(), 0.5, 2],
  ['a threshold that rates it', [measured], bands, 3, 6],
  ['a hundred bands that show an external alarm', [bands, measured], setExternalAlarm({ status: 2 }), 0.5, 2],
  ['a hundred HALs besides', [both], measured, 10, 200],
  ['a hundred HALs that find no spectrum', [], both, 0.5, 5],
  ['a patch of a large threshold, refused', [large], patchThreshold(refused), 5, 30],
  [
    'a patch that moves, refused',
    [],
    patchThreshold([...many(99, { op: 'move', from: '/a', path: '/b' }), ...refused]),
    1,
    10,
  ],
])('the work of a command: %s', (_name, given, sent, least, most) => {
  expect(work(given, sent)).toBeGreaterThanOrEqual(least);
  expect(work(given, sent)).toBeLessThanOrEqual(most);
});

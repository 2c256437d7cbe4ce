import { expect, test } from 'vitest';
import { hardLimits } from '../../../../../workflows/domain/limits';
import { measurementInput } from '../../../../../workflows/domain/measurement/measurement';
import { unitMismatches } from '../../../../../workflows/domain/rating/rate';
import type { Threshold } from '../../../../../workflows/domain/threshold/threshold';
import { decoded } from '../../../../support/reasons-of';
import { answers, dataPoint, spectrum } from '../../../../support/measurements';

const limits = [{ unit: 'g' }, {}, undefined, { unit: 'mm/s' }];
const banded: Threshold = {
  bandAlarms: limits.map((of) => (of === undefined ? {} : { overallAlarmThreshold: of })),
};

const inMillimetres = (part: string, expected: string) => ({ part, expected, actual: 'mm/s' });

test.each<[name: string, threshold: Threshold, measurement: unknown, then: unknown]>([
  ['none, where they are the same', { overall: { unit: 'mm/s' } }, dataPoint(1), []],
  ['none, where the threshold names none', { overall: {} }, dataPoint(1), []],
  ['none, where there is no threshold', {}, dataPoint(1), []],
  ['the unit of y', { overall: { unit: 'in/s' } }, dataPoint(1), [inMillimetres('overall', 'in/s')]],
  ['capitals make another unit', { overall: { unit: 'MM/S' } }, dataPoint(1), [inMillimetres('overall', 'MM/S')]],
  ['each band on its own', banded, spectrum([]), [inMillimetres('bandAlarms.0', 'g')]],
  ['no band', {}, spectrum([]), []],
  ['answers have no unit', { overall: { unit: 'in/s' } }, answers([]), []],
])('units that differ from those of the threshold: %s', (_name, threshold, measurement, then) => {
  expect(unitMismatches(threshold, decoded(measurementInput(hardLimits), measurement))).toEqual(then);
});

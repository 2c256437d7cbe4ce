import type { Measurement } from '../measurement/measurement';
import type { Threshold } from '../threshold/threshold';

/** A unit that differs from the threshold's. Nothing is converted: the measurement is rated all the same. */
export interface UnitMismatch {
  readonly part: string;
  readonly expected: string;
  readonly actual: string;
}

/** Where the unit of `measurement` differs from the one that the part of `threshold` names. */
export const unitMismatches = (threshold: Threshold, measurement: Measurement): ReadonlyArray<UnitMismatch> => {
  switch (measurement.contentType) {
    case 'DATA_POINT':
      return mismatch('overall', threshold.overall?.unit, measurement.dataPoint.yUnit);
    case 'SPECTRUM':
      return (threshold.bandAlarms ?? []).flatMap(({ overallThreshold }, index) =>
        mismatch(`bandAlarms.${index}`, overallThreshold?.unit, measurement.spectrum.yUnit),
      );
    case 'QUESTION_ANSWERS':
      return [];
  }
};

const mismatch = (part: string, expected: string | undefined, actual: string): ReadonlyArray<UnitMismatch> =>
  expected === undefined || expected === actual ? [] : [{ part, expected, actual }];

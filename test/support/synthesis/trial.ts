import type { MeasurementOf } from '../../../workflows/domain/measurement/measurement';
import type { HalPart } from '../../../workflows/domain/alarm/parts';
import { rateSpectrum } from '../../../workflows/domain/rating/rate-spectrum';
import { ratingRules } from '../../../workflows/domain/rating/rating-rules';
import type { DefectOrders } from '../../../workflows/domain/rating/vibration/bearings/bearing';
import { orders6205, SPACING, spectrumOf } from './machine';
import { between, randomOf } from './random';
import { evenLines, measuredSpectrum } from '../packed-lines';

export const faults = ['bpfo', 'bpfi', 'bsf', 'ftf'] as const satisfies ReadonlyArray<keyof DefectOrders>;

/** The limits that specification and trials use as an example. */
const ALERT_LIMIT = 3.5;
const DANGER_LIMIT = 5;

const bearing = { manufacturer: 'SKF', modelNumber: '6205-2RS JEM' };

/** Four HALs that share a bearing. */
const fourHals = faults.map((fault) => ({
  label: `${fault.toUpperCase()} drive end`,
  halAlarmType: 'FREQUENCY' as const,
  bearing,
  upperAlert: ALERT_LIMIT,
  upperDanger: DANGER_LIMIT,
}));

/**
 * One trial: a machine at a random speed of 1,200 to 2,100 rpm whose bearing slips at random by up to 1.5 % either way,
 * seen through 12,800 lines, and the four HALs of its bearing rated.
 */
export const trial = (seed: number, fault: keyof DefectOrders | undefined, snr: number): ReadonlyArray<HalPart> => {
  const random = randomOf(seed);
  const shaftHz = between(random, 20, 35);
  const slip = between(random, -0.015, 0.015);
  const y = spectrumOf({ shaftHz, orders: orders6205, slip, snr, ...(fault !== undefined && { fault }) }, random);
  return rateSpectrum(ratingRules({ halAlarms: fourHals }), measurementOf(shaftHz, y)).hals ?? [];
};

/** A spectrum of the made-up machine as a measurement. */
export const measurementOf = (shaftHz: number, y: ReadonlyArray<number>): MeasurementOf<'SPECTRUM'> => {
  const about = { speed: shaftHz * 60, xUnit: 'Hz', yUnit: 'g', windowFunction: 'hann' } as const;
  return measuredSpectrum({ ...about, lines: evenLines(0, SPACING, y) });
};

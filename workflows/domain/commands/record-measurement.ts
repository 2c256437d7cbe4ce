import * as E from 'fp-ts/Either';
import { mapped, object } from '../codecs';
import { digest } from '../digest';
import { storedMeasurement, type Measurement } from '../measurement/measurement';
import type { State } from '../node/state';
import { rateMeasurement } from '../rating/rate';
import { defineCommand, optional, required } from './command';
import { unchanged } from './rejections';
import { attributionOf, updateStatus } from './update-status';

const payload = mapped(
  object('recordMeasurement', { ...required, measurement: storedMeasurement }, optional),
  ({ measurement: { nodeId, ...measurement }, ...about }) => ({
    ...about,
    ...(nodeId !== undefined && { nodeId }),
    measurement,
    measurementDigest: digest(measurement),
  }),
);

/** Rates the parts that a measurement is about. Errors: Unchanged. */
export const recordMeasurement = defineCommand({
  description: 'Rates a measurement: {"measurement": {...}, "userId": "..."}; optional requestId.',
  payload,
  asks: ({ measurementDigest }) => measurementDigest,
  namesNode: { member: 'measurement.nodeId', in: ({ nodeId }) => nodeId },
  decide: (state, sent) => {
    const { measurement, measurementDigest } = sent;
    if (isRepeat(state, measurement, measurementDigest)) return E.left(unchanged(state.revision));
    return E.right([
      {
        _tag: 'MeasurementRecorded',
        measurement,
        digest: measurementDigest,
        arrivedAt: attributionOf(state, sent).updatedAt,
      },
      ...updateStatus(state, { ...state.parts, ...rateMeasurement(state, measurement) }, sent),
    ]);
  },
});

/** The measurement that rated its parts last, again: same id and same content. */
const isRepeat = (
  { applied, threshold }: State,
  { measurementId, contentType, rateOfChange }: Measurement,
  measurementDigest: string,
): boolean => {
  const rates = rateOfChange === undefined || threshold.rateOfChange === undefined ? [] : [applied.rateOfChange];
  return [applied[contentType], ...rates].every(
    (last) => last?.measurementId === measurementId && last.digest === measurementDigest,
  );
};

import * as E from 'fp-ts/Either';
import { chained, finite, instant, object, uuid, type Codec, type TypeOf } from '../codecs';
import { storedMeasurement, type ContentType, type Measurement, type MeasurementOf } from './measurement';

const ofType = <C extends ContentType>(contentType: C): Codec<MeasurementOf<C>> =>
  chained(storedMeasurement, (measurement) =>
    isOf(contentType)(measurement)
      ? E.right(measurement)
      : E.left([{ name: 'contentType', reason: `must be ${contentType}` }]),
  );

const isOf =
  <C extends ContentType>(contentType: C) =>
  (measurement: Measurement): measurement is MeasurementOf<C> =>
    measurement.contentType === contentType;

const RateOfChange = object('rate of change', { measurementId: uuid, createdAt: instant, value: finite }, {});
export type RateOfChange = TypeOf<typeof RateOfChange>;

/** The measurements that a recalculation uses: the newest of each content type, and the newest rate of change. */
export const Latest = object(
  'latest measurements',
  {},
  {
    DATA_POINT: ofType('DATA_POINT'),
    SPECTRUM: ofType('SPECTRUM'),
    QUESTION_ANSWERS: ofType('QUESTION_ANSWERS'),
    rateOfChange: RateOfChange,
  },
);
export type Latest = TypeOf<typeof Latest>;

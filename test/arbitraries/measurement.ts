import { fc } from '@fast-check/vitest';
import { isRecord, notNegative } from '../../workflows/domain/codecs';
import { hardLimits } from '../../workflows/domain/limits';
import { contentTypes, measurementInput } from '../../workflows/domain/measurement/measurement';
import { anId } from '../scenario';
import { fromSchema, ofCodec, propertyIn } from './from-schema';

/** The codec of measurements from outside. */
export const MeasurementInput = measurementInput(hardLimits);

const property = (name: string): fc.Arbitrary<unknown> => fromSchema(propertyIn(MeasurementInput.schema, name));

/** Lines that are one in ten digits are refused. */
const tenDigits = (x: number): number => Math.min(Number(x.toPrecision(10)), Number.MAX_VALUE);

/** Lines whose x rises: evenly, or as it comes. */
export const lines: fc.Arbitrary<ReadonlyArray<{ readonly x: number; readonly y: number }>> = fc.oneof(
  fc
    .tuple(fc.nat(100), fc.integer({ min: 1, max: 1_000 }), fc.array(ofCodec(notNegative), { maxLength: 20 }))
    .map(([start, step, y]) => y.map((value, index) => ({ x: (start + index * step) / 8, y: value }))),
  fc
    .tuple(fc.uniqueArray(ofCodec(notNegative), { maxLength: 20, selector: tenDigits }), ofCodec(notNegative))
    .map(([x, y]) => [...x].sort((a, b) => a - b).map((value) => ({ x: value, y }))),
);

const spectra = fc
  .tuple(property('spectrum'), lines)
  .map(([given, coordinates]) => (isRecord(given) && 'coordinates' in given ? { ...given, coordinates } : given));

const contents = {
  DATA_POINT: ['dataPoint', property('dataPoint')],
  SPECTRUM: ['spectrum', spectra],
  QUESTION_ANSWERS: ['questionAnswers', property('questionAnswers')],
} as const;

/** Measurements of every content type, as they are sent, of few ids so that they repeat. */
export const measurements: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc
  .constantFrom(...contentTypes)
  .chain((contentType) => {
    const [name, content] = contents[contentType];
    return fc.record(
      {
        measurementId: fc.constantFrom(anId(1), anId(2), anId(3)),
        createdAt: property('createdAt'),
        contentType: fc.constant<unknown>(contentType),
        [name]: content,
        rateOfChange: property('rateOfChange'),
        tags: property('tags'),
      },
      { requiredKeys: ['measurementId', 'createdAt', 'contentType', name], noNullPrototype: true },
    );
  });

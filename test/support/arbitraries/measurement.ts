import { fc } from '@fast-check/vitest';
import { isRecord, notNegative } from '../../../workflows/domain/codecs';
import { DOCUMENT_BYTES, hardLimits, TAGS_BYTES } from '../../../workflows/domain/limits';
import { contentTypes, measurementInput, type ContentType } from '../../../workflows/domain/measurement/measurement';
import { anId } from '../scenario';
import { fromSchema, mostly, ofCodec, propertyIn } from './from-schema';

export const MeasurementInput = measurementInput(hardLimits);

const property = (name: string): fc.Arbitrary<unknown> => fromSchema(propertyIn(MeasurementInput.schema, name));

/** Lines that are one in ten digits are refused. */
const tenDigits = (x: number): number => Math.min(Number(x.toPrecision(10)), Number.MAX_VALUE);

type CallerLines = ReadonlyArray<{ readonly x: number; readonly y: number }>;

/** As many lines as a spectrum may have; numbers of many digits where they are not evenly spaced. */
const allLines: fc.Arbitrary<CallerLines> = fc.tuple(fc.boolean(), ofCodec(notNegative)).map(([even, y]) =>
  Array.from({ length: hardLimits.spectrumLines }, (_, index) => ({
    x: even ? index / 8 : 1.2345678901234567e100 * 1.01 ** index,
    y: index % 7 === 0 ? y : 1,
  })),
);

/** A few lines whose x rises: evenly, or as it comes. */
const someLines: fc.Arbitrary<CallerLines> = fc.oneof(
  fc
    .tuple(fc.nat(100), fc.integer({ min: 1, max: 1_000 }), fc.array(ofCodec(notNegative), { maxLength: 20 }))
    .map(([start, step, y]) => y.map((value, index) => ({ x: (start + index * step) / 8, y: value }))),
  fc
    .tuple(fc.uniqueArray(ofCodec(notNegative), { maxLength: 20, selector: tenDigits }), ofCodec(notNegative))
    .map(([x, y]) => [...x].sort((a, b) => a - b).map((value) => ({ x: value, y }))),
);

/** Lines whose x rises: a few, or now and then as many as there may be. */
export const lines = mostly(someLines, allLines, 40);

const spectra = fc
  .tuple(property('spectrum'), lines)
  .map(([given, coordinates]) => (isRecord(given) && 'coordinates' in given ? { ...given, coordinates } : given));

const contents = {
  DATA_POINT: ['dataPoint', property('dataPoint')],
  SPECTRUM: ['spectrum', spectra],
  QUESTION_ANSWERS: ['questionAnswers', mostly(property('questionAnswers'), allAnswers(), 20)],
} as const;

/** As many answers as their bytes allow: of the longest text, or of none. */
function allAnswers(): fc.Arbitrary<ReadonlyArray<string>> {
  return fc.constantFrom('x'.repeat(hardLimits.textLength), '').map((answer) => {
    const most = Math.floor((DOCUMENT_BYTES - 1) / (answer.length + 3));
    return Array.from({ length: most }, () => answer);
  });
}

/** Measurements of `contentType`, as they are sent, of few ids so that they repeat. */
export const measurementsOf = (contentType: ContentType): fc.Arbitrary<Readonly<Record<string, unknown>>> => {
  const [name, content] = contents[contentType];
  return fc.record(
    {
      measurementId: fc.constantFrom(anId(1), anId(2), anId(3)),
      createdAt: property('createdAt'),
      contentType: fc.constant<unknown>(contentType),
      [name]: content,
      rateOfChange: property('rateOfChange'),
      tags: mostly(property('tags'), fc.constant({ a: 'x'.repeat(TAGS_BYTES - '{"a":""}'.length) })),
    },
    { requiredKeys: ['measurementId', 'createdAt', 'contentType', name], noNullPrototype: true },
  );
};

export const measurements = fc.constantFrom(...contentTypes).chain(measurementsOf);

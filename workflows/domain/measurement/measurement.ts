import * as E from 'fp-ts/Either';
import {
  absent,
  array,
  chained,
  described,
  finite,
  instant,
  INSTANT_FORMS,
  jsonBytes,
  object,
  oneOf,
  openObject,
  present,
  ruled,
  text,
  uuid,
  type Codec,
  type JsonSchema,
  type Reason,
  type TypeOf,
  epochMsOf,
  epochNanosOf,
} from '../codecs';
import { DOCUMENT_BYTES, hardLimits, TAGS_BYTES, UNIT_LENGTH, type Limits } from '../limits';
import { spectrumInput, storedSpectrum, type Spectrum } from './spectrum';

/** What a measurement holds; each rates the parts that are named after it in docs/decisions.md, "content types". */
export const contentTypes = ['DATA_POINT', 'SPECTRUM', 'QUESTION_ANSWERS'] as const;
export type ContentType = (typeof contentTypes)[number];

const dataPoint = object(
  'data point',
  {
    coordinate: described(
      object(
        'coordinate',
        {
          x: described(finite, 'Place of the value, in `xUnit`; it rates nothing.'),
          y: described(finite, 'The value, in `yUnit`; `overall` rates it.'),
        },
        {},
      ),
      'The point.',
    ),
    xUnit: described(text(UNIT_LENGTH), 'The unit of `x`: a label.'),
    yUnit: described(
      text(UNIT_LENGTH),
      'The unit of `y`: a label, nothing is converted; one that differs from that of the limits is counted and logged.',
    ),
  },
  {},
);

/** `rateOfChange` is computed by the sender, and rates the limits of rate of change. `createdAt` is ISO 8601, as it was sent. */
const shape = (limits: Limits, spectrum: Codec<Spectrum>) =>
  object(
    'measurement',
    {
      measurementId: described(uuid, 'The name of the measurement; alarms refer to it.'),
      createdAt: described(
        instant,
        `When it was measured; the newest counts, and none is newer than its arrival. ${INSTANT_FORMS}`,
      ),
      contentType: described(
        oneOf('content type', contentTypes),
        'DATA_POINT rates `overall`, SPECTRUM bands and HALs, QUESTION_ANSWERS the inspection.',
      ),
    },
    {
      nodeId: described(uuid, 'The node; must equal the one of the path.'),
      dataPoint: described(dataPoint, 'The content of DATA_POINT, which requires it.'),
      spectrum: described(spectrum, 'The content of SPECTRUM, which requires it.'),
      questionAnswers: described(
        array(text(limits.textLength), DOCUMENT_BYTES),
        `The content of QUESTION_ANSWERS, which requires it: the answers that were given, together at most ${DOCUMENT_BYTES} bytes as JSON.`,
      ),
      rateOfChange: described(
        finite,
        'How fast the value changes, computed by the sender, in the unit of the `rateOfChange` limits.',
      ),
      tags: described(
        openObject(TAGS_BYTES),
        `Anything of yours, at most ${TAGS_BYTES} bytes as JSON; it rates nothing.`,
      ),
    },
  );
type Shape = TypeOf<ReturnType<typeof shape>>;

/** The content of a measurement, by its type. */
type Content =
  | { readonly contentType: 'DATA_POINT'; readonly dataPoint: TypeOf<typeof dataPoint> }
  | { readonly contentType: 'SPECTRUM'; readonly spectrum: Spectrum }
  | { readonly contentType: 'QUESTION_ANSWERS'; readonly questionAnswers: ReadonlyArray<string> };

type About = Omit<Shape, 'contentType' | 'dataPoint' | 'spectrum' | 'questionAnswers'>;

/** A measurement as callers send it: they may name the node. */
export type MeasurementInput = About & Content;

export type Measurement = Omit<About, 'nodeId'> & Content;
export type MeasurementOf<C extends ContentType> = Extract<Measurement, { readonly contentType: C }>;

/** The property that holds the content of each content type. */
const nameOfContent = { DATA_POINT: 'dataPoint', SPECTRUM: 'spectrum', QUESTION_ANSWERS: 'questionAnswers' } as const;

/** The schema of `ownContent` for `type`. */
const ofContent = (type: ContentType): JsonSchema => {
  const name = nameOfContent[type];
  return {
    if: present('contentType', { const: type }),
    then: present(name, { type: name === 'questionAnswers' ? 'array' : 'object' }),
    else: absent(name),
  };
};

const measurement = (limits: Limits, spectrum: Codec<Spectrum>): Codec<MeasurementInput> =>
  chained(ruled(shape(limits, spectrum), contentTypes.map(ofContent)), (given) => {
    const { contentType: _, dataPoint: __, spectrum: ___, questionAnswers: ____, ...about } = given;
    const content = contentOf(given);
    const faults = [...ownContent(given), ...answersFit(given)];
    return content === undefined || faults.length > 0 ? E.left(faults) : E.right({ ...about, ...content });
  });

/** A measurement as PUT takes it. */
export const measurementInput = (limits: Limits): Codec<MeasurementInput> => measurement(limits, spectrumInput(limits));

/** A measurement as it travels to a node and is kept there. */
export const storedMeasurement: Codec<MeasurementInput> = measurement(hardLimits, storedSpectrum);

const contentOf = ({ contentType, ...given }: Shape): Content | undefined => {
  switch (contentType) {
    case 'DATA_POINT':
      return given.dataPoint && { contentType, dataPoint: given.dataPoint };
    case 'SPECTRUM':
      return given.spectrum && { contentType, spectrum: given.spectrum };
    case 'QUESTION_ANSWERS':
      return given.questionAnswers && { contentType, questionAnswers: given.questionAnswers };
  }
};

const ownContent = (given: Shape): ReadonlyArray<Reason> =>
  contentTypes.flatMap((type): ReadonlyArray<Reason> => {
    const name = nameOfContent[type];
    if (type === given.contentType)
      return given[name] === undefined ? [{ name, reason: `is required by ${type}` }] : [];
    return given[name] === undefined ? [] : [{ name, reason: `does not belong to ${given.contentType}` }];
  });

const answersFit = ({ questionAnswers }: Shape): ReadonlyArray<Reason> =>
  questionAnswers !== undefined && jsonBytes(questionAnswers) > DOCUMENT_BYTES
    ? [{ name: 'questionAnswers', reason: `must be at most ${DOCUMENT_BYTES} bytes as JSON` }]
    : [];

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

/** How far the clock of a sender may be ahead before it is reported (ms). */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * When a measurement was taken (nanoseconds since 1970): by its clock, but not after its arrival (epoch ms), lest one whose
 * clock was far ahead stay the newest for ever.
 */
export const takenAt = (createdAt: string, arrivedAt: number): bigint => {
  const dated = epochNanosOf(createdAt);
  const arrived = BigInt(arrivedAt) * 1_000_000n;
  return dated < arrived ? dated : arrived;
};

/** By how much (ms) a measurement is dated after its arrival; undefined where that is within the tolerance. */
export const clockAhead = (createdAt: string, arrivedAt: number): number | undefined => {
  const aheadMs = epochMsOf(createdAt) - arrivedAt;
  return aheadMs > CLOCK_TOLERANCE_MS ? aheadMs : undefined;
};

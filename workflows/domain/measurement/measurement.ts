import {
  array,
  finite,
  instant,
  jsonBytes,
  object,
  oneOf,
  openObject,
  refine,
  text,
  uuid,
  type Codec,
  type Reason,
} from '../codecs';
import { DOCUMENT_BYTES, hardLimits, TAGS_BYTES, UNIT_LENGTH, type Limits } from '../limits';
import { spectrumInput, storedSpectrum, type Spectrum } from './spectrum';

/** What a measurement holds; each rates the parts that are named after it in docs/decisions.md, "content types". */
export const contentTypes = ['DATA_POINT', 'SPECTRUM', 'QUESTION_ANSWERS'] as const;
export type ContentType = (typeof contentTypes)[number];

export interface DataPoint {
  readonly coordinate: { readonly x: number; readonly y: number };
  readonly xUnit: string;
  readonly yUnit: string;
}

/** What every measurement carries. */
interface About {
  readonly measurementId: string;
  /** ISO 8601, as it was sent. */
  readonly createdAt: string;
  /** Computed by the sender; rates the limits of rate of change. */
  readonly rateOfChange?: number;
  readonly tags?: Readonly<Record<string, unknown>>;
}

export type Measurement =
  | (About & { readonly contentType: 'DATA_POINT'; readonly dataPoint: DataPoint })
  | (About & { readonly contentType: 'SPECTRUM'; readonly spectrum: Spectrum })
  | (About & { readonly contentType: 'QUESTION_ANSWERS'; readonly questionAnswers: ReadonlyArray<string> });

export type MeasurementOf<C extends ContentType> = Extract<Measurement, { readonly contentType: C }>;

/** A measurement as callers send it: they may name the node. */
export type MeasurementInput = Measurement & { readonly nodeId?: string };

const dataPoint: Codec<DataPoint> = object(
  'data point',
  {
    coordinate: object('coordinate', { x: finite, y: finite }, {}),
    xUnit: text(UNIT_LENGTH),
    yUnit: text(UNIT_LENGTH),
  },
  {},
);

/** The property that holds the content of each content type. */
const contentOf = { DATA_POINT: 'dataPoint', SPECTRUM: 'spectrum', QUESTION_ANSWERS: 'questionAnswers' } as const;

const measurement = (limits: Limits, spectrum: Codec<Spectrum>): Codec<MeasurementInput> => {
  const shape = object(
    'measurement',
    { measurementId: uuid, createdAt: instant, contentType: oneOf('content type', contentTypes) },
    {
      nodeId: uuid,
      dataPoint,
      spectrum,
      questionAnswers: array(text(limits.textLength), DOCUMENT_BYTES),
      rateOfChange: finite,
      tags: openObject(TAGS_BYTES),
    },
  );
  // The refinement proves that the content belongs to the content type, which a plain object codec cannot tell.
  return refine(shape, (given) => [
    ...ownContent(given),
    ...answersFit(given),
  ]) as Codec<unknown> as Codec<MeasurementInput>;
};

/** A measurement as PUT takes it. */
export const measurementInput = (limits: Limits): Codec<MeasurementInput> => measurement(limits, spectrumInput(limits));

/** A measurement as it travels to a node and is kept there. */
export const storedMeasurement: Codec<MeasurementInput> = measurement(hardLimits, storedSpectrum);

type Given = { readonly contentType: ContentType } & Partial<Record<(typeof contentOf)[ContentType], unknown>>;

const ownContent = (given: Given): ReadonlyArray<Reason> =>
  contentTypes.flatMap((type): ReadonlyArray<Reason> => {
    const name = contentOf[type];
    if (type === given.contentType)
      return given[name] === undefined ? [{ name, reason: `is required by ${type}` }] : [];
    return given[name] === undefined ? [] : [{ name, reason: `does not belong to ${given.contentType}` }];
  });

const answersFit = ({ questionAnswers }: { readonly questionAnswers?: unknown }): ReadonlyArray<Reason> =>
  questionAnswers !== undefined && jsonBytes(questionAnswers) > DOCUMENT_BYTES
    ? [{ name: 'questionAnswers', reason: `must be at most ${DOCUMENT_BYTES} bytes as JSON` }]
    : [];

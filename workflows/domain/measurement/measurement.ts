import * as E from 'fp-ts/Either';
import * as c from '../codecs';
import { DOCUMENT_BYTES, hardLimits, TAGS_BYTES, UNIT_LENGTH, type Limits } from '../limits';
import { spectrumInput, storedSpectrum, type Spectrum } from './spectrum';

/** Kinds of content of a measurement. Each kind rates different alarms (docs/contributing/decisions.md, "content types"). */
export const contentTypes = ['DATA_POINT', 'SPECTRUM', 'QUESTION_ANSWERS'] as const;
export type ContentType = (typeof contentTypes)[number];

const dataPoint = c.object('DataPoint', {
  coordinate: c.described(
    c.object('Coordinate', {
      x: c.described(c.finite, 'Place of the value, in `xUnit`; it rates nothing.'),
      y: c.described(c.finite, 'The value, in `yUnit`; `overall` rates it.'),
    }),
    'The point.',
  ),
  xUnit: c.described(c.text(UNIT_LENGTH), 'The unit of `x`: a label.'),
  yUnit: c.described(
    c.text(UNIT_LENGTH),
    'The unit of `y`: a label, nothing is converted; one that differs from that of the limits is counted and logged.',
  ),
});

const shape = (limits: Limits, spectrum: c.Codec<Spectrum>) =>
  c.object(
    'Measurement',
    {
      measurementId: c.described(c.uuid, 'The name of the measurement; alarms refer to it.'),
      createdAt: c.described(
        c.instant,
        `When it was measured; one in the future counts as the time of arrival. A recalculation or a new threshold rates by the newest measurement of each content type. ${c.INSTANT_FORMS}`,
      ),
      contentType: c.described(
        c.oneOf('ContentType', contentTypes),
        'DATA_POINT rates `overall`, SPECTRUM bands and HALs, QUESTION_ANSWERS the inspection.',
      ),
    },
    {
      nodeId: c.described(c.uuid, 'The node; must equal the one of the path.'),
      dataPoint: c.described(dataPoint, 'The content of DATA_POINT, which requires it.'),
      spectrum: c.described(spectrum, 'The content of SPECTRUM, which requires it.'),
      questionAnswers: c.described(
        c.array(c.text(limits.textLength), DOCUMENT_BYTES),
        `The content of QUESTION_ANSWERS, which requires it: the answers that were given, together at most ${DOCUMENT_BYTES} bytes as JSON.`,
      ),
      rateOfChange: c.described(
        c.finite,
        'How fast the value changes, computed by the sender, in the unit of the `rateOfChange` limits.',
      ),
      tags: c.described(
        c.openObject(TAGS_BYTES),
        `Anything of yours, at most ${TAGS_BYTES} bytes as JSON; it rates nothing.`,
      ),
    },
  );
type Shape = c.TypeOf<ReturnType<typeof shape>>;

type Content =
  | { readonly contentType: 'DATA_POINT'; readonly dataPoint: c.TypeOf<typeof dataPoint> }
  | { readonly contentType: 'SPECTRUM'; readonly spectrum: Spectrum }
  | { readonly contentType: 'QUESTION_ANSWERS'; readonly questionAnswers: ReadonlyArray<string> };

type About = Omit<Shape, 'contentType' | 'dataPoint' | 'spectrum' | 'questionAnswers'>;

/** A measurement as callers send it. It may name its node. */
export type MeasurementInput = About & Content;

export type Measurement = Omit<About, 'nodeId'> & Content;
export type MeasurementOf<C extends ContentType> = Extract<Measurement, { readonly contentType: C }>;

const nameOfContent = { DATA_POINT: 'dataPoint', SPECTRUM: 'spectrum', QUESTION_ANSWERS: 'questionAnswers' } as const;

const ofContent = (type: ContentType): c.JsonSchema => {
  const name = nameOfContent[type];
  return {
    if: c.requiredMember('contentType', { const: type }),
    then: c.requiredMember(name, { type: name === 'questionAnswers' ? 'array' : 'object' }),
    else: c.forbiddenMember(name),
  };
};

const measurement = (limits: Limits, spectrum: c.Codec<Spectrum>): c.Codec<MeasurementInput> =>
  c.chained(
    c.withSchemaNotes(shape(limits, spectrum), c.alwaysRule({ allOf: contentTypes.map(ofContent) })),
    (given) => {
      const faults = [
        ...ownContent(given),
        ...c.tooLarge('questionAnswers', given.questionAnswers ?? [], DOCUMENT_BYTES),
      ];
      return faults.length > 0 ? E.left(faults) : E.right(given as MeasurementInput); // other content was refused above
    },
  );

/** A measurement as a PUT request brings it. */
export const measurementInput = (limits: Limits): c.Codec<MeasurementInput> =>
  measurement(limits, spectrumInput(limits));

/** A measurement as the API sends it to a node, and as the node keeps it. */
export const storedMeasurement: c.Codec<MeasurementInput> = measurement(hardLimits, storedSpectrum);

const ownContent = (given: Shape): c.Reasons =>
  contentTypes.flatMap((type) => {
    const name = nameOfContent[type];
    const isOwn = type === given.contentType;
    const reason = isOwn ? `is required by ${type}` : `does not belong to ${given.contentType}`;
    return c.reasonIf((given[name] === undefined) === isOwn, name, reason);
  });

const ofType = <C extends ContentType>(contentType: C): c.Codec<MeasurementOf<C>> =>
  c.chained(
    storedMeasurement,
    E.fromPredicate(
      (given: MeasurementInput): given is MeasurementOf<C> => given.contentType === contentType,
      () => [{ name: 'contentType', reason: `must be ${contentType}` }],
    ),
  );

const RateOfChange = c.object('rate of change', { measurementId: c.uuid, createdAt: c.instant, value: c.finite });
export type RateOfChange = c.TypeOf<typeof RateOfChange>;

/** The measurements that a recalculation uses: the newest of each content type, and the newest rate of change. */
export const Latest = c.partial('latest measurements', {
  DATA_POINT: ofType('DATA_POINT'),
  SPECTRUM: ofType('SPECTRUM'),
  QUESTION_ANSWERS: ofType('QUESTION_ANSWERS'),
  rateOfChange: RateOfChange,
});
export type Latest = c.TypeOf<typeof Latest>;

/** How far the clock of a sender may be ahead (ms) before the node reports it. */
const CLOCK_TOLERANCE_MS = 60_000;

/** When a measurement was taken (nanoseconds since 1970): at `createdAt`, but not later than it arrived (epoch ms). */
export const takenAt = (createdAt: string, arrivedAt: number): bigint => {
  const dated = c.epochNanosOf(createdAt);
  const arrived = BigInt(arrivedAt) * 1_000_000n;
  return dated < arrived ? dated : arrived;
};

/** By how much (ms) a measurement is dated after its arrival; undefined within the tolerance. */
export const clockAhead = (createdAt: string, arrivedAt: number): number | undefined => {
  const aheadMs = c.epochMsOf(createdAt) - arrivedAt;
  return aheadMs > CLOCK_TOLERANCE_MS ? aheadMs : undefined;
};

import * as c from '../codecs';
import { DESCRIPTION_LENGTH, hardLimits, UNIT_LENGTH } from '../limits';
import { NO_DATA, Status, statusMeanings, worst } from './status';

export const always = { status: c.described(Status, `The status of this alarm: ${statusMeanings}.`) };

/** The measurement is named once one was used, even where it could not be rated. */
const measured = {
  triggeringMeasurement: c.described(
    c.uuid,
    'The `measurementId` that this status comes from, NO_DATA or not; absent until one was used.',
  ),
};

/** What a measurement gives to the part of a band; its name and place stand in the threshold, at the same position. */
export const ofBand = {
  ...measured,
  calculatedOverall: c.described(
    c.object('CalculatedOverall', {
      value: c.described(c.finite, 'The energy of the lines in the band, as an amplitude, in `unit`.'),
      unit: c.described(c.text(UNIT_LENGTH), 'The `yUnit` of the spectrum.'),
    }),
    'What the band measured; absent where no line lies inside of it.',
  ),
};

/** What a measurement gives to the part of a HAL, likewise. Frequency in Hz, factor in multiples of shaft speed. */
export const ofHal = {
  ...measured,
  faultFrequency: c.described(c.finite, 'Where the fault repeats, without slip (Hz).'),
  halIndex: c.described(c.finite, 'How far the harmonics stand out of the noise around them: a ratio, without a unit.'),
  numberOfHarmonicsUsed: c.described(c.notNegative, 'Harmonics that the index was computed from, 1 to 10.'),
  rpmFactor: c.described(c.finite, 'The fault frequency as a multiple of the shaft speed.'),
  errorDescription: c.described(
    c.text(DESCRIPTION_LENGTH),
    'Why the HAL could not be rated; its status is 1 NO_DATA then.',
  ),
};

/** The part of an overall, a rate-of-change or an inspection alarm. */
export const Part = c.object('Alarm', always, measured);
export const BandPart = c.object('band part', always, ofBand);
export const HalPart = c.object('HAL part', always, ofHal);
/** The part that a caller sets; no measurement rates it. */
export const ExternalPart = c.object('ExternalAlarm', always, {
  setBy: c.described(c.uuid, 'Who set it, where the caller said so. A label: it is not the user of the token.'),
});

export type Part = c.TypeOf<typeof Part>;
export type BandPart = c.TypeOf<typeof BandPart>;
export type HalPart = c.TypeOf<typeof HalPart>;
export type ExternalPart = c.TypeOf<typeof ExternalPart>;

/** Every part that a node holds; bands and HALs by their position in the threshold. */
export const Parts = c.partial('parts', {
  overall: Part,
  rateOfChange: Part,
  inspection: Part,
  external: ExternalPart,
  bands: c.array(BandPart, hardLimits.bands),
  hals: c.array(HalPart, hardLimits.hals),
});
export type Parts = c.TypeOf<typeof Parts>;

export type RatedParts = Omit<Parts, 'external'>;

export const unrated: Part = { status: NO_DATA };

/** A part that `measurementId` could not rate. */
export const notRatable = (measurementId: string): Part => ({ status: NO_DATA, triggeringMeasurement: measurementId });

/** Every status in `parts`, by the name or position of its part. */
const statusesOf = ({ bands, hals, ...single }: Parts): ReadonlyArray<readonly [string, Status]> => [
  ...Object.entries(single).map(([name, part]) => [name, part.status] as const),
  ...(bands ?? []).map(({ status }, index) => [`bands.${index}`, status] as const),
  ...(hals ?? []).map(({ status }, index) => [`hals.${index}`, status] as const),
];

export const worstOf = (parts: Parts): Status => worst(statusesOf(parts).map(([, status]) => status));

export const hasParts = (parts: Parts): boolean => statusesOf(parts).length > 0;

/** Whether some part's status or the set of parts differs; bands and HALs are compared by position. */
export const alarmsDiffer = (before: Parts, after: Parts): boolean => {
  const earlier = new Map(statusesOf(before));
  const later = statusesOf(after);
  return later.length !== earlier.size || later.some(([name, status]) => earlier.get(name) !== status);
};

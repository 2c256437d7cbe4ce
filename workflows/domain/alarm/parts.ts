import * as c from '../codecs';
import { DESCRIPTION_LENGTH, hardLimits, UNIT_LENGTH } from '../limits';
import { NO_DATA, Status, statusMeanings, worst } from './status';

export const statusFields = { status: c.described(Status, `The status of this alarm: ${statusMeanings}.`) };

/**
 * The measurement from which an alarm has its status. The member is present once any measurement was used for the alarm, even
 * one that could not be rated.
 */
const measured = {
  triggeringMeasurement: c.described(
    c.uuid,
    'The `measurementId` that this status comes from, NO_DATA or not; absent until one was used.',
  ),
};

/** What a measurement adds to a band's alarm. The band's label and edges are at the same position of the threshold. */
export const bandPartFields = {
  ...measured,
  calculatedOverall: c.described(
    c.object('CalculatedOverall', {
      value: c.described(c.finite, 'The energy of the lines in the band, as an amplitude, in `unit`.'),
      unit: c.described(c.text(UNIT_LENGTH), 'The `yUnit` of the spectrum.'),
    }),
    'What the band measured; absent where no line lies inside of it.',
  ),
};

/** What a measurement adds to a HAL's alarm. The frequency is in Hz, the factor in multiples of the shaft's speed. */
export const halPartFields = {
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

/** The state of an overall, a rate-of-change or an inspection alarm. */
export const Part = c.object('Alarm', statusFields, measured);
export const BandPart = c.object('band part', statusFields, bandPartFields);
export const HalPart = c.object('HAL part', statusFields, halPartFields);
/** The alarm whose status a caller sets. No measurement changes this status. */
export const ExternalPart = c.object('ExternalAlarm', statusFields, {
  setBy: c.described(c.uuid, 'Who set it, where the caller said so. A label: it is not the user of the token.'),
});

export type Part = c.TypeOf<typeof Part>;
export type BandPart = c.TypeOf<typeof BandPart>;
export type HalPart = c.TypeOf<typeof HalPart>;
export type ExternalPart = c.TypeOf<typeof ExternalPart>;

/** The alarms of a node, called parts. Bands and HALs have the order of the threshold. */
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

/** The alarm after the measurement `measurementId`, which could not be rated. */
export const notRatable = (measurementId: string): Part => ({ status: NO_DATA, triggeringMeasurement: measurementId });

/** The status of every alarm in `parts`, with the alarm's name, such as `overall` or `bands.0`. */
const statusesOf = ({ bands, hals, ...single }: Parts): ReadonlyArray<readonly [string, Status]> => [
  ...Object.entries(single).map(([name, part]) => [name, part.status] as const),
  ...(bands ?? []).map(({ status }, index) => [`bands.${index}`, status] as const),
  ...(hals ?? []).map(({ status }, index) => [`hals.${index}`, status] as const),
];

export const worstOf = (parts: Parts): Status => worst(statusesOf(parts).map(([, status]) => status));

export const hasParts = (parts: Parts): boolean => statusesOf(parts).length > 0;

/** Whether a node's alarms changed: either the set of alarms, or the status of one. Bands and HALs are compared by position. */
export const alarmsDiffer = (before: Parts, after: Parts): boolean => {
  const earlier = new Map(statusesOf(before));
  const later = statusesOf(after);
  return later.length !== earlier.size || later.some(([name, status]) => earlier.get(name) !== status);
};

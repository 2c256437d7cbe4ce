import { NO_DATA, worst, type Status } from './status';

/** One alarm of a node. The measurement is named once one was used, even where it could not be rated. */
export interface Part {
  readonly status: Status;
  readonly triggeringMeasurement?: string;
}

/** A band's alarm; what it is called and where it lies stands in the threshold, at the same position. */
export interface BandPart extends Part {
  readonly calculatedOverall?: { readonly value: number; readonly unit: string };
}

/** A harmonic alarm, by the position of its HAL in the threshold. Frequency in Hz, factor in multiples of shaft speed. */
export interface HalPart extends Part {
  readonly faultFrequency?: number;
  readonly halIndex?: number;
  readonly numberOfHarmonicsUsed?: number;
  readonly rpmFactor?: number;
  readonly errorDescription?: string;
}

export interface ExternalPart {
  readonly status: Status;
  readonly setBy?: string;
}

/** The parts that measurements rate. */
export interface RatedParts {
  readonly overall?: Part;
  readonly rateOfChange?: Part;
  readonly inspection?: Part;
  readonly bands?: ReadonlyArray<BandPart>;
  readonly hals?: ReadonlyArray<HalPart>;
}

/** Every part that a node holds. */
export interface Parts extends RatedParts {
  readonly external?: ExternalPart;
}

/** A configured part that no measurement has rated. */
export const unrated: Part = { status: NO_DATA };

/** A part that `measurementId` could not rate. */
export const notRatable = (measurementId: string): Part => ({ status: NO_DATA, triggeringMeasurement: measurementId });

/** Every status in `parts`, by the name or position of its part. */
const statusesOf = ({ bands, hals, ...single }: Parts): ReadonlyArray<readonly [string, Status]> => [
  ...Object.entries(single).map(([name, part]) => [name, part.status] as const),
  ...(bands ?? []).map(({ status }, index) => [`bands.${index}`, status] as const),
  ...(hals ?? []).map(({ status }, index) => [`hals.${index}`, status] as const),
];

/** The node's status: the worst of its parts. */
export const worstOf = (parts: Parts): Status => worst(statusesOf(parts).map(([, status]) => status));

/** Whether the node holds any part. */
export const hasParts = (parts: Parts): boolean => statusesOf(parts).length > 0;

/** Whether some part's status or the set of parts differs; bands and HALs are compared by position. */
export const alarmsDiffer = (before: Parts, after: Parts): boolean => {
  const earlier = new Map(statusesOf(before));
  const later = statusesOf(after);
  return later.length !== earlier.size || later.some(([name, status]) => earlier.get(name) !== status);
};

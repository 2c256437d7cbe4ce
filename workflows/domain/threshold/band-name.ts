import { isRecord } from '../codecs';

/** The names that a band's limits go by outside: the one that is shown unless the other is set, first. */
export const bandThresholdNames = ['overallAlarmThreshold', 'overallThreshold'] as const;
export type BandThresholdName = (typeof bandThresholdNames)[number];

/** The name in views inside of the service; the edges turn it into the one that is set (docs/decisions.md, "name of a band's overall alarm threshold"). */
export const SHOWN_NAME: BandThresholdName = 'overallAlarmThreshold';

/** `threshold` with the limits of its bands under `name`; what is no threshold is left as it is. */
export const thresholdNamed = (name: BandThresholdName, threshold: unknown): unknown =>
  isRecord(threshold) && Object.hasOwn(threshold, 'bandAlarms')
    ? { ...threshold, bandAlarms: bandsNamed(name, threshold['bandAlarms']) }
    : threshold;

export const bandsNamed = (name: BandThresholdName, bands: unknown): unknown =>
  Array.isArray(bands) ? bands.map((band: unknown) => bandNamed(name, band)) : bands;

/** A band that holds both names is left as it is: the codec refuses it. */
export const bandNamed = (name: BandThresholdName, band: unknown): unknown => {
  if (!isRecord(band) || Object.hasOwn(band, name)) return band;
  return Object.fromEntries(Object.entries(band).map(([key, value]) => [isBandName(key) ? name : key, value]));
};

const isBandName = (key: string): boolean => bandThresholdNames.some((name) => name === key);

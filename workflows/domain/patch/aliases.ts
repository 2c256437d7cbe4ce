import { isRecord } from '../codecs';
import type { PatchOperation } from './operations';

const INPUT_NAME = 'overallThreshold';
const SHOWN_NAME = 'overallAlarmThreshold';

/** `operation` in the names that GET shows: a band's limits may be called by either name, in pointers and in values. */
export const inShownNames = (operation: PatchOperation): PatchOperation => {
  const path = shownPointer(operation.path);
  switch (operation.op) {
    case 'move':
    case 'copy':
      return { ...operation, path, from: shownPointer(operation.from) };
    case 'remove':
      return { ...operation, path };
    case 'add':
    case 'replace':
    case 'test':
      return { ...operation, path, value: shownValue(path, operation.value) };
  }
};

const shownPointer = (pointer: string): string =>
  pointer.replace(/^(\/bandAlarms\/[^/]+)\/overallThreshold(?=\/|$)/u, `$1/${SHOWN_NAME}`);

const shownValue = (path: string, value: unknown): unknown => {
  if (path === '')
    return isRecord(value) && 'bandAlarms' in value ? { ...value, bandAlarms: shownBands(value['bandAlarms']) } : value;
  if (path === '/bandAlarms') return shownBands(value);
  return /^\/bandAlarms\/[^/]+$/u.test(path) ? shownBand(value) : value;
};

const shownBands = (bands: unknown): unknown => (Array.isArray(bands) ? bands.map(shownBand) : bands);

/** A band that holds both names is left as it is: the codec refuses it. */
const shownBand = (band: unknown): unknown => {
  if (!isRecord(band) || !Object.hasOwn(band, INPUT_NAME) || Object.hasOwn(band, SHOWN_NAME)) return band;
  return Object.fromEntries(
    Object.entries(band).map(([name, value]) => [name === INPUT_NAME ? SHOWN_NAME : name, value]),
  );
};

import { bandNamed, bandsNamed, SHOWN_NAME, thresholdNamed } from '../band-name';
import type { PatchOperation } from './operations';

/** `operation` in the names of the view: a band's limits may be called by either name, in pointers and in values. */
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
  if (path === '') return thresholdNamed(SHOWN_NAME, value);
  if (path === '/bandAlarms') return bandsNamed(SHOWN_NAME, value);
  return /^\/bandAlarms\/[^/]+$/u.test(path) ? bandNamed(SHOWN_NAME, value) : value;
};

import { MOST_REASONS, type Reason } from '../../workflows/domain/codecs';

/** The numbers in `value` that JSON reads as infinite (`1e999`), by their dotted path; as many as an answer tells. */
export const numberFaults = (value: unknown): ReadonlyArray<Reason> => {
  const faults: Reason[] = [];
  const visit = (place: unknown, path: string): void => {
    if (faults.length === MOST_REASONS) return;
    if (typeof place === 'number' && !Number.isFinite(place)) {
      faults.push({ name: path, reason: 'must be a finite number' });
    }
    if (typeof place !== 'object' || place === null) return;
    for (const [key, member] of Object.entries(place)) visit(member, path === '' ? key : `${path}.${key}`);
  };
  visit(value, '');
  return faults;
};

import { MOST_REASONS, type Reason } from '../../workflows/domain/codecs';

/** The numbers in `value` that JSON reads as infinite (`1e999`), by their dotted path; as many as an answer tells. */
export const numberFaults = (value: unknown): ReadonlyArray<Reason> => {
  const faults: Reason[] = [];
  const path: Array<string | number> = [];
  const visit = (place: unknown): void => {
    if (faults.length === MOST_REASONS) return;
    if (typeof place === 'number' && !Number.isFinite(place)) {
      faults.push({ name: path.join('.'), reason: 'must be a finite number' });
    } else if (Array.isArray(place)) {
      for (const [index, member] of place.entries()) visitMember(index, member);
    } else if (typeof place === 'object' && place !== null) {
      for (const [name, member] of Object.entries(place)) visitMember(name, member);
    }
  };
  const visitMember = (name: string | number, member: unknown): void => {
    path.push(name);
    visit(member);
    path.pop();
  };
  visit(value);
  return faults;
};

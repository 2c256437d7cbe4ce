import type { AlarmPart } from '../../../consumer';
import { NOT_CONFIGURED, type Status } from '../../../workflows/domain/alarm/status';

/** A part whose status changed. */
export interface PartChange extends AlarmPart {
  readonly from: Status;
}

/** What the parts of a node became: those whose status changed, and those that it holds no more. */
export interface PartChanges {
  readonly changes: ReadonlyArray<PartChange>;
  readonly gone: ReadonlyArray<string>;
}

/**
 * Compares the parts that a node held, by name, with those that it holds now. A part that it did not hold, or holds no more,
 * has the status 0.
 */
export const partChanges = (before: ReadonlyMap<string, Status>, now: ReadonlyArray<AlarmPart>): PartChanges => {
  const held = new Set(now.map(({ part }) => part));
  const gone = [...before.keys()].filter((part) => !held.has(part));
  const changes = [...now, ...gone.map((part) => ({ part, status: NOT_CONFIGURED }) as const)]
    .map((part): PartChange => ({ ...part, from: before.get(part.part) ?? NOT_CONFIGURED }))
    .filter(({ from, status }) => from !== status);
  return { changes, gone };
};

/** For each part (one of a node's alarms), the times (epoch ms) of the newest changes of its severity, oldest first. */
export type Changes = Readonly<Record<string, ReadonlyArray<number>>>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The most times that are kept per part. A part that changes every minute reaches this number within an hour. */
export const MOST_CHANGES = 60;

export const afterChanges = (before: Changes, parts: ReadonlyArray<string>, at: number): Changes => {
  const after = Object.entries(before).map(([part, times]) => [part, inTheLast(DAY_MS, times, at)] as const);
  const changed = parts.map((part) => [part, withChange(inTheLast(DAY_MS, before[part] ?? [], at), at)] as const);
  return Object.fromEntries([...after, ...changed].filter(([, times]) => times.length > 0));
};

/** Adds `at` to `times`, in order of time, and keeps only the newest `MOST_CHANGES`. */
export const withChange = (times: ReadonlyArray<number>, at: number): ReadonlyArray<number> =>
  [...times, at].sort((one, other) => one - other).slice(-MOST_CHANGES);

/** Counts the changes in the hour and the day before `now`. A count of `MOST_CHANGES` becomes `most`: there may be more. */
const changeCounts = (times: ReadonlyArray<number>, now: number, most: string) => {
  const count = (ms: number): string => {
    const found = inTheLast(ms, times, now).length;
    return found < MOST_CHANGES ? String(found) : most;
  };
  return { hour: count(HOUR_MS), day: count(DAY_MS) };
};

/** The counts of changes as text for people, such as `3 in an hour, 60 or more in a day`. */
export const changesLine = (times: ReadonlyArray<number>, now: number): string => {
  const { hour, day } = changeCounts(times, now, `${MOST_CHANGES} or more`);
  return `${hour} in an hour, ${day} in a day`;
};

/** The counts of changes as a short text for a cell of a table, such as `3/h 60+/d`. */
export const changesCell = (times: ReadonlyArray<number>, now: number): string => {
  const { hour, day } = changeCounts(times, now, `${MOST_CHANGES}+`);
  return `${hour}/h ${day}/d`;
};

const inTheLast = (ms: number, times: ReadonlyArray<number>, now: number): ReadonlyArray<number> =>
  times.filter((time) => now - time < ms);

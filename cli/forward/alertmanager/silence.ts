/**
 * Decides when a node is silent, from the entries of the stream alone.
 *
 * The stream flows while its entries, of any nodes, follow each other within a third of the shortest `--silent-after`. A longer
 * time without an entry is a gap: the API, Temporal, Redis or all senders were unavailable, or entries were trimmed unread.
 * Gaps do not count: a node is silent once the stream has flowed for the node's `--silent-after` since its last measurement. So
 * if each node is measured at least three times within this time, no single outage, however long, makes a node silent.
 *
 * The time since the last entry makes no node silent, because it may become a gap. Only the stream itself can be silent then.
 *
 * All times are those at which entries came into the stream: epoch ms, by Redis.
 */

/** The times of the entry before a gap and of the entry after it. */
export type Interval = readonly [from: number, to: number];

/**
 * `seen`: the time of the newest handled entry that was looked at. `gaps`: the gaps up to `seen`, oldest first. Gaps that touch
 * are joined into one.
 */
export interface Flow {
  readonly seen: number;
  readonly gaps: ReadonlyArray<Interval>;
}

/** When the stream will have flowed for `ms` since `from`, if there is no further gap. */
export const flowedAt = (gaps: ReadonlyArray<Interval>, from: number, ms: number): number =>
  gaps.reduce((at, [begin, end]) => (begin < at && end > from ? at + end - Math.max(begin, from) : at), from + ms);

/** The times of the last and of the first entry from `from` to `to`; undefined if there is no entry. */
export interface EntryTimes {
  readonly last: (from: number, to: number) => Promise<number | undefined>;
  readonly first: (from: number, to: number) => Promise<number | undefined>;
}

/** Most steps from entry to entry per look; the next look goes on from there. */
const MOST_STEPS = 500;

/** The flow up to `until`. Each step goes to the last entry within `gapMs` or, if there is none, over a gap to the next one. */
export const flowUntil = async (
  { seen, gaps }: Flow,
  until: number,
  gapMs: number,
  entries: EntryTimes,
): Promise<Flow> => {
  let [at, found] = [seen, gaps];
  for (let steps = 0; steps < MOST_STEPS && at < until; steps += 1) {
    const near = await entries.last(at + 1, Math.min(at + gapMs, until));
    const next = near ?? (await entries.first(at + 1, until));
    if (next === undefined) break;
    if (near === undefined) found = withGap(found, [at, next]);
    at = next;
  }
  return { seen: at, gaps: found };
};

/** Most gaps that are kept. Of more gaps, the oldest two become one, so that a node is silent later, but never too early. */
const MOST_GAPS = 100;

const withGap = (gaps: ReadonlyArray<Interval>, [from, to]: Interval): ReadonlyArray<Interval> => {
  const last = gaps.at(-1);
  if (last !== undefined && last[1] === from) return [...gaps.slice(0, -1), [last[0], to]];
  const all: ReadonlyArray<Interval> = [...gaps, [from, to]];
  const [oldest, second, ...others] = all;
  return all.length <= MOST_GAPS || oldest === undefined || second === undefined
    ? all
    : [[oldest[0], second[1]], ...others];
};

/** The flow without the gaps that no longer matter: any node that was last measured before them is silent already. */
export const withoutOldGaps = ({ seen, gaps }: Flow, longestMs: number): Flow => ({
  seen,
  gaps: gaps.filter(([, to]) => flowedAt(gaps, to, longestMs) > seen),
});

/** A node's last measurement: its time in the stream (`at`), when the node recorded it (`since`), and the status after it. */
export interface Measured {
  readonly at: number;
  readonly since: number;
  readonly status: number;
}

/** The silence of a node after its last measurement, kept for a while after the end. `handledAt`: when the end was handled. */
export interface Silence extends Measured {
  readonly startsAt: number;
  readonly endsAt?: number;
  readonly handledAt?: number;
}

/** The silence, ended if the node was measured since it began, or is no longer watched (`measured` is undefined). */
export const updateSilence = (silence: Silence, measured: Measured | undefined, now: number): Silence =>
  silence.endsAt !== undefined || measured?.at === silence.at
    ? silence
    : { ...silence, endsAt: Math.max(silence.startsAt, measured?.since ?? now), handledAt: now };

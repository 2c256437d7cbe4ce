/*
 * What the journal's views must answer, worked out in memory in the plainest way. Times are epoch ms.
 */

/** A change of the status of a part, as the table status_change holds it. */
export interface Change {
  readonly node: string;
  readonly part: string;
  readonly label: string | null;
  readonly sequence_id: string;
  readonly from_status: number;
  readonly to_status: number;
  readonly at: number;
}

export interface Alarm {
  readonly node: string;
  readonly part: string;
  readonly label: string | null;
  readonly began: number;
  readonly ended: number | null;
  readonly chatters: boolean;
}

export const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** The alarms of changes in their order: each from a rise to ALERT or above, to the part's next change to or from below it. */
export const alarmsOf = (changes: ReadonlyArray<Change>): ReadonlyArray<Alarm> => {
  const isRise = ({ from_status, to_status }: Change): boolean => from_status < 3 && to_status >= 3;
  const isFall = ({ from_status, to_status }: Change): boolean => from_status >= 3 && to_status < 3;
  const isOf = (one: Change) => (other: Change) => one.node === other.node && one.part === other.part;
  const rises = changes.filter(isRise);
  return rises.map((rise) => {
    const { node, part, label, at: began } = rise;
    const later = changes.slice(changes.indexOf(rise) + 1).filter(isOf(rise));
    const ended = later.find((change) => isRise(change) || isFall(change))?.at ?? null;
    const ofPart = rises.filter(isOf(rise)).map(({ at }) => at);
    const chatters = ofPart.some((first) => {
      const within = ofPart.filter((at) => at >= first && at < first + MINUTE);
      return within.length >= 3 && within.includes(began);
    });
    return { node, part, label, began, ended, chatters };
  });
};

const begunIn = (since: number, until: number) => (alarm: Alarm) => alarm.began >= since && alarm.began < until;

export interface TenMinutes {
  readonly at: number;
  readonly alarms: number;
}

export const tenMinutesOf = (alarms: ReadonlyArray<Alarm>, since: number, until: number): ReadonlyArray<TenMinutes> => {
  const first = since - (since % (10 * MINUTE));
  const count = Math.ceil((until - first) / (10 * MINUTE));
  return Array.from({ length: Math.max(0, count) }, (_, index) => {
    const at = first + index * 10 * MINUTE;
    const within = alarms.filter(begunIn(since, until)).filter(begunIn(at, at + 10 * MINUTE));
    return { at, alarms: within.length };
  });
};

export interface Flood {
  readonly began: number;
  readonly ended: number;
  readonly alarms: number;
}

export const floodsOf = (tenMinutes: ReadonlyArray<TenMinutes>, until: number): ReadonlyArray<Flood> => {
  const floods: Flood[] = [];
  let flood: Flood | undefined;
  for (const { at, alarms } of tenMinutes) {
    if (flood === undefined && alarms > 10) flood = { began: at, ended: at, alarms: 0 };
    if (flood !== undefined && alarms < 5) {
      floods.push(flood);
      flood = undefined;
    }
    if (flood !== undefined)
      flood = { ...flood, ended: Math.min(at + 10 * MINUTE, until), alarms: flood.alarms + alarms };
  }
  return flood === undefined ? floods : [...floods, flood];
};

export const byPartOf = (alarms: ReadonlyArray<Alarm>, since: number, until: number) => {
  const begun = alarms.filter(begunIn(since, until));
  const keyOf = ({ node, part, label }: Alarm): string => JSON.stringify([node, part, label]);
  return [...new Set(begun.map(keyOf))].map((key) => {
    const [node = '', part = '', label = null] = JSON.parse(key) as ReadonlyArray<string | null>;
    const ofPart = begun.filter((alarm) => keyOf(alarm) === key);
    return {
      ...{ node, part, label, alarms: ofPart.length },
      chattering: ofPart.filter(({ chatters }) => chatters).length,
      fleeting: ofPart.filter(({ chatters, began, ended }) => !chatters && ended !== null && ended - began < MINUTE)
        .length,
    };
  });
};

/** Those that lasted for more than a day at some time from `since` to `until`. */
export const standingOf = (alarms: ReadonlyArray<Alarm>, since: number, until: number): ReadonlyArray<Alarm> =>
  alarms.filter(({ began, ended }) => {
    const standsFrom = began + 24 * HOUR;
    return standsFrom < until && (ended === null || (ended > standsFrom && ended > since));
  });

export interface Acknowledgement {
  readonly id: string;
  readonly node: string;
  readonly part: string | null;
  readonly at: number;
}

/** The time (ms) after which each alarm that was acknowledged while it lasted was acknowledged first. */
export const acknowledgedOf = (
  alarms: ReadonlyArray<Alarm>,
  acknowledgements: ReadonlyArray<Acknowledgement>,
  since: number,
  until: number,
) =>
  alarms.filter(begunIn(since, until)).flatMap(({ node, part, began, ended }) => {
    const after = acknowledgements
      .filter((one) => one.node === node && (one.part ?? part) === part)
      .filter(({ at }) => at >= began && at < (ended ?? Infinity))
      .map(({ at }) => at - began);
    return after.length === 0 ? [] : [{ node, part, began, after: Math.min(...after) }];
  });

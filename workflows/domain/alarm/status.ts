import * as c from '../codecs';

/** Values of an alarm's status. The specification lacks 0 and 1 (docs/contributing/decisions.md, "status 0 and 1"). */
export const NOT_CONFIGURED = 0;
export const NO_DATA = 1;
export const GOOD = 2;
export const ALERT = 3;
export const DANGER = 4;

export type Status = 0 | 1 | 2 | 3 | 4;

export const statusNames = ['NOT_CONFIGURED', 'NO_DATA', 'GOOD', 'ALERT', 'DANGER'] as const;

export const Status: c.Codec<Status> = c.named('Status', { NOT_CONFIGURED, NO_DATA, GOOD, ALERT, DANGER });

export const statusMeanings = statusNames.map((name, value) => `${value} ${name}`).join(', ');

/** The worst of `statuses`; NOT_CONFIGURED when there are none. */
export const worst = (statuses: ReadonlyArray<Status>): Status =>
  statuses.reduce<Status>((one, other) => (one > other ? one : other), NOT_CONFIGURED);

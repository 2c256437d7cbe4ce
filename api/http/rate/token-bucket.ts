/** How many calls a user may make: so many a second on average, and so many at once after a rest. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** What a user has left, as it was at a time of a clock that never goes back (ms). Less than none is a debt. */
export interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

export const fullBucket = ({ burst }: Rate, at: number): Bucket => ({ tokens: burst, at });

/** The bucket at `now`: it fills by `perSecond`, up to `burst`. */
export const filled = ({ perSecond, burst }: Rate, { tokens, at }: Bucket, now: number): Bucket => ({
  tokens: Math.min(burst, tokens + (perSecond * Math.max(0, now - at)) / 1_000),
  at: Math.max(at, now),
});

/** Whether a call may be made. */
export const isOpen = ({ tokens }: Bucket): boolean => tokens >= 1;

/** The bucket after calls worth `cost`, which may be more than it holds: the debt is waited for afterwards. */
export const charged = ({ tokens, at }: Bucket, cost: number): Bucket => ({ tokens: tokens - cost, at });

/** Seconds until the bucket, left alone, holds `wanted`; 0 when it does. */
export const secondsUntil = ({ perSecond }: Rate, { tokens }: Bucket, wanted: number): number =>
  Math.max(0, (wanted - tokens) / perSecond);

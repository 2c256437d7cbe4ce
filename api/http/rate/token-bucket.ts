/** The allowed calls of a user: `perSecond` on average, `burst` at once after a pause. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** The tokens left at a time of a monotonic clock (ms). Negative: a debt. */
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

/** The bucket after calls of `cost` tokens. A cost beyond its content leaves a debt. */
export const charged = ({ tokens, at }: Bucket, cost: number): Bucket => ({ tokens: tokens - cost, at });

/** Seconds until the bucket, left alone, holds `wanted`; 0 when it does. */
export const secondsUntil = ({ perSecond }: Rate, { tokens }: Bucket, wanted: number): number =>
  Math.max(0, (wanted - tokens) / perSecond);

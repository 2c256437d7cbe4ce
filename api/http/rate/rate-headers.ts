import { secondsUntil, type Bucket, type Rate } from './token-bucket';

/**
 * The limit and what is left of it, as structured fields: `q` calls in a window of `w` seconds, the time in which an empty
 * bucket fills; `r` are left, and after `t` seconds of rest all are back.
 *
 * Source: draft-ietf-httpapi-ratelimit-headers-10.
 */
export const rateHeaders = (rate: Rate, bucket: Bucket): Readonly<Record<string, string>> => ({
  'RateLimit-Policy': `"user";q=${rate.burst};w=${Math.ceil(rate.burst / rate.perSecond)}`,
  RateLimit: `"user";r=${Math.max(0, Math.floor(bucket.tokens))};t=${Math.ceil(secondsUntil(rate, bucket, rate.burst))}`,
});

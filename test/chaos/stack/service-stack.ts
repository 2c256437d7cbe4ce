import type { RedisSettings } from '../../../process/settings';
import type { Part } from './part';
import type { SignToken } from './token-signer';

/** A process of ours that answers at `url`. */
export interface Served extends Part {
  readonly url: string;
}

/** What every stack has, on one machine or on many: two workers, two APIs, and the stream of their events. */
export interface ServiceStack {
  readonly workers: readonly [Served, Served];
  readonly apis: readonly [Served, Served];
  /** How a consumer of the stream finds Redis. */
  readonly redisSettings: RedisSettings;
  readonly stream: string;
  /** Its logs lie in it. */
  readonly folder: string;
  readonly signToken: SignToken;
  readonly stop: () => Promise<void>;
}

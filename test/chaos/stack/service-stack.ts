import type { RedisSettings } from '../../../process/settings';
import type { Running } from '../../../stack/running';
import type { SignToken } from './token-signer';

/** What every stack has, on one machine or on many: two workers, two APIs, and the stream of their events. */
export interface ServiceStack {
  readonly workers: readonly [Running, Running];
  readonly apis: readonly [Running, Running];
  /** How a consumer of the stream finds Redis. */
  readonly redisSettings: RedisSettings;
  readonly stream: string;
  /** Its logs lie in it. */
  readonly folder: string;
  readonly signToken: SignToken;
  readonly stop: () => Promise<void>;
}

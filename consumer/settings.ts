import * as E from 'fp-ts/Either';
import { cliSettings } from '../process/settings';
import type { ConsumerOptions } from './consume-events';

/**
 * Where the stream is, by the settings of the service: REDIS_*, EVENT_STREAM and EVENT_STREAM_PARTITIONS.
 *
 * Errors: it throws one that lists every fault.
 */
export const streamSettings = (
  env: Readonly<Record<string, string | undefined>>,
): Pick<ConsumerOptions, 'redis' | 'stream' | 'partitions'> => {
  const settings = cliSettings(env);
  if (E.isLeft(settings)) throw new Error(settings.left.join('\n'));
  const { redis, stream, partitions } = settings.right;
  return { redis, stream, partitions };
};

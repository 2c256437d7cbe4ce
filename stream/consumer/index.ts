/** The package's entry `point-alarm-service/consumer`, with which other programs join a consumer group of the event stream. */
import * as E from 'fp-ts/Either';
import { cliSettings } from '../../process/settings';
import type { ConsumerOptions } from './consume-events';

export { consumeEvents, type ConsumerOptions } from './consume-events';
export { NotNow, type Effect, type Handle, type KeptText } from './consumer';
export type { Gap } from './group';
export { alarmParts, type AlarmPart } from '../../workflows/domain/alarm/alarm-lines';
export type { StreamEvent } from '../../workflows/domain/node/events';

/** Reads the settings REDIS_* and EVENT_STREAM. Errors: throws one error with all faults of the settings of `pas`. */
export const streamSettings = (
  env: Readonly<Record<string, string | undefined>>,
): Pick<ConsumerOptions, 'redis' | 'stream'> => {
  const settings = cliSettings(env);
  if (E.isLeft(settings)) throw new Error(settings.left.join('\n'));
  const { redis, EVENT_STREAM: stream } = settings.right;
  return { redis, stream };
};

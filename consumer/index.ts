/** The package's `point-alarm-service/consumer`: takes part in a consumer group of the event stream. */
export { consumeEvents, type ConsumerOptions } from './consume-events';
export { NotNow, type Effect, type Handle, type KeptText } from './effect';
export { alarmParts, type AlarmPart } from './alarm-parts';
export { streamSettings } from './settings';
export type { StreamEvent } from '../workflows/domain/events/event';

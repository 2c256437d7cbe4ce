import { object, oneOf } from '../../workflows/domain/codecs';

/** What a process that is well says of itself. */
export const HealthView = object('Health', { status: oneOf('health', ['ok']) }, {});

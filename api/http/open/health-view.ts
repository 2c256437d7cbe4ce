import { object, oneOf, text } from '../../../workflows/domain/codecs';

const status = oneOf('health', ['ok']);

/** What a process that lives says of itself. */
export const HealthView = object('Health', { status, version: text(64, 1) }, {});

/** What a process that should get calls says of itself. */
export const ReadinessView = object('Readiness', { status }, {});

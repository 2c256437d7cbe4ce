import { Counter, type Registry } from 'prom-client';

/** Counts what never became a request and was answered all the same. */
export const countMalformed = (registry: Registry): Counter<'status'> =>
  new Counter({
    name: 'point_alarm_malformed_requests_total',
    help: 'Answers to what never became a request (malformed HTTP, too slow, too large a head), by status.',
    labelNames: ['status'],
    registers: [registry],
  });

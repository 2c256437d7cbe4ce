import { expect, test } from 'vitest';
import { alertOf, silenceAlert, streamAlert } from '../../../../cli/forward/alertmanager/alert';

const [LASTS_UNTIL, AHEAD] = [1_000_000, 1_000_001];
const node = { labels: {}, link: 'http://127.0.0.1/' };
const silence = { at: 1, since: 1, status: 2, startsAt: AHEAD };
const alarm = { part: 'overall', severity: 'danger' as const, startsAt: AHEAD };

// Alertmanager refuses an alert that ends before it begins.
test.each([
  ['an alarm', alertOf('n', alarm, node, LASTS_UNTIL, { changes: {}, now: 1 })],
  ['a silent node', silenceAlert('n', silence, node, LASTS_UNTIL)],
  ['a silent stream', streamAlert('s', silence, LASTS_UNTIL)],
])('%s that began after the end by the clock of the forwarder ends when it began', (_, { startsAt, endsAt }) =>
  expect([startsAt, endsAt]).toEqual([new Date(AHEAD).toISOString(), new Date(AHEAD).toISOString()]),
);

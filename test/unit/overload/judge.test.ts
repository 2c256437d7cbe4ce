import { expect, test } from 'vitest';
import type { Entry } from '../../chaos/history';
import type { Call } from '../../overload/callers';
import { judge } from '../../overload/judge';

const call = (fate: Call['fate'], more: Partial<Call> = {}): Call => ({
  ...{ id: 'c', nodeId: 'n', user: 'u', dueAt: 0, knownAt: 1_000, fate, status: 0, hasRetryAfter: false, tries: 1 },
  writes: 'measurement',
  ...more,
});
const events = (count: number): ReadonlyArray<Entry> =>
  Array.from({ length: count }, () => ({ data: JSON.stringify({ requestId: 'c' }) }));

test.each<readonly [string, Call, number, ReadonlyArray<string>]>([
  ['served once', call('served'), 1, []],
  ['served without an event', call('served'), 0, ['lost']],
  ['served twice', call('served'), 2, ['doubled']],
  ['refused and not done', call('refused'), 0, []],
  ['refused, and done all the same', call('refused'), 1, ['done after it was refused']],
  ['unknown, and not done', call('unknown'), 0, []],
  ['unknown, and done', call('unknown'), 1, []],
  ['given up, and done twice', call('gaveUp'), 2, ['doubled']],
  ['a threshold with both of its events', call('served', { writes: 'threshold' }), 2, []],
  ['a threshold with one of them', call('served', { writes: 'threshold' }), 1, ['torn']],
])('%s', (_, of, count, broken) => expect(judge([of], events(count)).map(({ promise }) => promise)).toEqual(broken));

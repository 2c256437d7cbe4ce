import { expect, test } from 'vitest';
import { clockAhead } from '../../../../../workflows/domain/measurement/measurement';
import { START } from '../../../../support/scenario';

test.each<[name: string, createdAt: string, then: number | undefined]>([
  ['behind', '2026-01-31T09:00Z', undefined],
  ['right', '2026-01-31T10:00Z', undefined],
  ['ahead by a minute', '2026-01-31T10:01Z', undefined],
  ['ahead by a minute and less than a millisecond', '2026-01-31T10:01:00.0009Z', undefined],
  ['ahead by more', '2026-01-31T10:01:00.001Z', 60_001],
  ['ahead by years, in another zone', '2099-01-01T01:00+01:00', 4_070_908_800_000 - START],
])('a clock that is %s', (_name, createdAt, then) => expect(clockAhead(createdAt, START)).toBe(then));

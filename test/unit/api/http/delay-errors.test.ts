import { expect, test } from 'vitest';
import { createErrorTurns } from '../../../../api/http/delay-errors';

/** The delays (ms) of answers, each after a pause (ms) of its caller; waiting takes no time here. */
const delays = async (
  answers: ReadonlyArray<readonly [user: string, status: number, cost: number, after?: number]>,
) => {
  let clock = 0;
  let waited = 0;
  const turn = createErrorTurns(
    () => clock,
    (ms) => {
      waited = ms;
      return Promise.resolve();
    },
  );
  const all: number[] = [];
  for (const [userId, status, cost, after = 0] of answers) {
    clock += after;
    waited = 0;
    await turn(status, cost, userId);
    all.push(waited);
  }
  return all;
};
const later = ['a', 400, 1, 4_000] as const;
const of = (count: number, user = 'a', cost = 1) => Array.from({ length: count }, () => [user, 400, cost] as const);

test.each([
  ['twenty are answered at once, the others one each 10 ms', [...of(23)], [...Array<number>(21).fill(0), 10, 20]],
  ['a lone one never waits, however large; the next pays for it', of(2, 'a', 100), [0, 800]],
  ['none waits longer than two seconds', of(3, 'a', 1e6), [0, 2_000, 2_000]],
  ['a flood is forgotten four seconds after its end', [...of(3, 'a', 1e6), later], [0, 2_000, 2_000, 0]],
  ['users do not wait for each other', [...of(2, 'a', 100), ...of(1, 'b')], [0, 800, 0]],
  [
    'successes, conflicts and outages never wait',
    [...of(1, 'a', 900), ['a', 204, 1], ['a', 409, 1], ['a', 503, 1], ['a', 429, 1]] as const,
    [0, 0, 0, 0, 0],
  ],
])('%s', async (_, answers, expected) => expect(await delays(answers)).toEqual(expected));

test.each([400, 401, 403, 404, 405, 413, 415, 431])('an answer of %i waits its turn', async (status) => {
  expect(await delays([100, 1].map((cost) => ['a', status, cost] as const))).toEqual([0, 800]);
});

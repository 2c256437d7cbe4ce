import * as E from 'fp-ts/Either';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryBudget } from '../../../../api/http/memory-budget';
import { catalogue } from '../../../../api/contract/problems/catalogue';

/** Takes in turn, each of a user: `a30` takes 30, `a-` gives back what that user took first; the statuses, 200 for taken. */
const taken = (most: number, steps: ReadonlyArray<string>): ReadonlyArray<number> => {
  const reserve = createMemoryBudget(most);
  const held = new Map<string, ReturnType<typeof reserve>[]>();
  return steps.flatMap((step) => {
    const user = step.charAt(0);
    if (step.endsWith('-')) {
      held.get(user)?.shift()?.release();
      return [];
    }
    const reservation = reserve(user);
    held.set(user, [...(held.get(user) ?? []), reservation]);
    const answer = reservation.reserveBytes(Number(step.slice(1)));
    return [E.isLeft(answer) ? catalogue[answer.left.type].status : 200];
  });
};

test.each([
  ['one body may fill it', ['a100'], [200]],
  ['a larger one never fits', ['a101'], [503]],
  ['a user alone holds half of it', ['a30', 'a20', 'a1'], [200, 200, 429]],
  ['two hold a third each', ['a34', 'b33', 'a1', 'b1'], [200, 200, 429, 429]],
  ['whoever comes finds as much as the greatest holds', ['a50', 'b50'], [200, 200]],
  ['a new user finds nothing once all is taken', ['a50', 'b50', 'c1'], [200, 200, 503]],
  ['what is given back can be taken again, also by the same user', ['a50', 'a1', 'a-', 'a50'], [200, 429, 200]],
])('%s', (_, steps, statuses) => expect(taken(100, steps)).toEqual(statuses));

test('what is held never exceeds the whole, no user with several bodies holds more than is left, and all comes back', () =>
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 60 }))), (takes) => {
      const reserve = createMemoryBudget(100);
      const held = new Map<string, number[]>();
      const sumOf = (user: string): number => (held.get(user) ?? []).reduce((sum, one) => sum + one, 0);
      const all = (): number => ['a', 'b', 'c'].reduce((sum, user) => sum + sumOf(user), 0);
      const reservations = takes.map(([user, bytes]) => {
        const reservation = reserve(user);
        if (E.isRight(reservation.reserveBytes(bytes))) {
          held.set(user, [...(held.get(user) ?? []), bytes]);
          expect(all()).toBeLessThanOrEqual(100);
          if ((held.get(user) ?? []).length > 1) expect(sumOf(user)).toBeLessThanOrEqual(100 - all() + bytes);
        }
        return reservation;
      });
      for (const { release } of [...reservations, ...reservations]) release();
      expect(E.isRight(reserve('d').reserveBytes(100))).toBe(true);
    }),
  ));

test('a call that has given its memory back takes no more, which nobody would give back', () => {
  const reserve = createMemoryBudget(100);
  const { reserveBytes, release } = reserve('a');
  reserveBytes(50);
  release();
  expect(reserveBytes(10)).toSatisfy(E.isLeft);
  expect(reserve('b').reserveBytes(100)).toSatisfy(E.isRight);
});

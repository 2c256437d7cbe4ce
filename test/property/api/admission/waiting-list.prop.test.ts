import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createWaitingList } from '../../../../api/admission/waiting-list';

const users = fc.constantFrom('a', 'b', 'c', 'd');

test('every unit has its turn once, each user by arrival, and as late as was foretold at most', () =>
  fc.assert(
    fc.property(fc.array(users, { maxLength: 60 }), (arrivals) => {
      const list = createWaitingList<number>();
      const foretold = arrivals.map((user, unit) => {
        const turns = list.turnsUntil(user);
        list.add(user, unit);
        return turns;
      });
      expect(list.turns()).toBe(arrivals.length);
      const order = arrivals.map(() => list.next()?.[1] ?? -1);
      expect(list.next()).toBeUndefined();
      expect([...order].sort((one, other) => one - other)).toEqual(arrivals.map((_, unit) => unit));
      for (const user of 'abcd') {
        const own = order.filter((unit) => arrivals[unit] === user);
        expect(own).toEqual([...own].sort((one, other) => one - other));
      }
      // Who comes later may go first, but only users who have had fewer turns.
      const last = arrivals.length - 1;
      if (last >= 0) expect(order.indexOf(last) + 1).toBeLessThanOrEqual(foretold[last] ?? 0);
    }),
  ));

test('whoever sends too much takes no turn from others: between two turns of a user are at most as many as there are others', () =>
  fc.assert(
    fc.property(fc.array(users, { minLength: 1, maxLength: 80 }), (arrivals) => {
      const list = createWaitingList<number>();
      arrivals.forEach((user, unit) => list.add(user, unit));
      const order = arrivals.map(() => arrivals[list.next()?.[1] ?? -1] ?? '');
      for (const user of new Set(arrivals)) {
        const places = order.flatMap((one, place) => (one === user ? [place] : []));
        places.slice(1).forEach((place, index) => {
          expect(place - (places[index] ?? 0)).toBeLessThanOrEqual(new Set(arrivals).size);
        });
      }
    }),
  ));

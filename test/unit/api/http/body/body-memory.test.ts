import * as E from 'fp-ts/Either';
import { beforeEach, describe, expect, test } from 'vitest';
import { createBodyMemory, type Reservation } from '../../../../../api/http/body/body-memory';

const why = (taken: E.Either<{ readonly type: string }, void>): string => (E.isLeft(taken) ? taken.left.type : 'taken');

let clock = 0;
let reserve: (userId: string) => Reservation;
beforeEach(() => {
  clock = 0;
  reserve = createBodyMemory(400, () => clock);
});
const seconds = (count: number): void => {
  clock += count * 1_000;
};

describe('a user alone', () => {
  test('has all of the room, over all calls in flight', () => {
    const [one, other] = [reserve('ada'), reserve('ada')];
    expect([one.take(300), other.take(100), other.take(1)].map(why)).toEqual(['taken', 'taken', 'too-many-requests']);
    one.release();
    one.release(); // a place is left once
    expect([other.take(300), other.take(1)].map(why)).toEqual(['taken', 'too-many-requests']);
  });

  test('is one whose last neighbour asked a minute ago', () => {
    const place = reserve('grace');
    place.take(1);
    place.release();
    seconds(60);
    expect(why(reserve('ada').take(400))).toBe('too-many-requests');
    seconds(0.001);
    expect(why(reserve('ada').take(400))).toBe('taken');
  });
});

describe('beside others, a user beyond the quota', () => {
  test('leaves a quota free for who comes next', () => {
    expect(why(reserve('grace').take(50))).toBe('taken');
    const ada = reserve('ada');
    expect([ada.take(250), ada.take(1)].map(why)).toEqual(['taken', 'too-many-requests']);
    expect(why(reserve('edsger').take(100))).toBe('taken');
  });

  test('leaves to each what they wanted within the last minute, and no more than a quota', () => {
    for (const [user, wanted] of [['grace', 400], ['edsger', 60], ['alan', 40]] as const) {
      const place = reserve(user);
      place.take(wanted);
      place.release();
    } // prettier-ignore
    const ada = reserve('ada');
    expect([ada.take(200), ada.take(1)].map(why)).toEqual(['taken', 'too-many-requests']);
    expect(why(reserve('edsger').take(60))).toBe('taken');
    expect([ada.take(1)].map(why)).toEqual(['too-many-requests']);
    seconds(61);
    expect([ada.take(40), ada.take(1)].map(why)).toEqual(['taken', 'too-many-requests']); // edsger holds room still
  });

  test('keeps no room from those who want little', () => {
    for (let count = 0; count < 20; count += 1) {
      const place = reserve(`user-${count}`);
      place.take(1);
      place.release();
    }
    expect(why(reserve('ada').take(300))).toBe('taken');
  });
});

describe('a newcomer', () => {
  test('to a room that a lone user has filled waits for that one to end calls, and not for more', () => {
    const [one, other] = [reserve('ada'), reserve('ada')];
    one.take(300);
    other.take(100);
    expect(why(reserve('grace').take(10))).toBe('unavailable');
    expect(why(other.take(1))).toBe('too-many-requests');
    other.release();
    expect(why(reserve('ada').take(1))).toBe('too-many-requests'); // it is kept for grace, who was refused
    const grace = reserve('grace');
    expect([grace.take(100), grace.take(1)].map(why)).toEqual(['taken', 'too-many-requests']);
  });

  test('finds no room where users within their quotas have taken it', () => {
    const places = ['ada', 'grace', 'edsger', 'barbara', 'alan'].map((user) => reserve(user));
    expect(places.map((place) => why(place.take(90)))).toEqual(['taken', 'taken', 'taken', 'taken', 'unavailable']);
    places[0]?.release();
    expect(places.map((place) => why(place.take(10)))).toEqual(Array(5).fill('taken'));
    expect(why(reserve('ken').take(81))).toBe('unavailable');
    expect(why(reserve('ken').take(80))).toBe('taken');
  });
});

import * as E from 'fp-ts/Either';
import { expect, test } from 'vitest';
import { createRoom } from '../../../api/body/room';

const why = (taken: E.Either<{ readonly type: string }, void>): string => (E.isLeft(taken) ? taken.left.type : 'taken');

test('a user has a quarter of the room, over all calls that he has under way', () => {
  const placeOf = createRoom(400);
  const [one, other, stranger] = [placeOf('ada'), placeOf('ada'), placeOf('grace')];
  expect(why(one.take(60))).toBe('taken');
  expect(why(other.take(40))).toBe('taken');
  expect(why(other.take(1))).toBe('too-many-requests');
  expect(why(stranger.take(100))).toBe('taken');
  one.leave();
  expect(why(other.take(60))).toBe('taken');
  expect(why(other.take(1))).toBe('too-many-requests');
});

test('all users together have the room', () => {
  const placeOf = createRoom(400);
  const places = ['ada', 'grace', 'edsger', 'barbara', 'alan'].map(placeOf);
  expect(places.map((place) => why(place.take(90)))).toEqual(['taken', 'taken', 'taken', 'taken', 'unavailable']);
  places[0]?.leave();
  places[0]?.leave(); // a place is left once
  expect(places.map((place) => why(place.take(10)))).toEqual(Array(5).fill('taken'));
  expect(why(placeOf('ken').take(81))).toBe('unavailable');
  expect(why(placeOf('ken').take(80))).toBe('taken');
});

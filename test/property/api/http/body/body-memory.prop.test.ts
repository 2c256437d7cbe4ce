import { fc, test } from '@fast-check/vitest';
import * as E from 'fp-ts/Either';
import { expect } from 'vitest';
import { createBodyMemory } from '../../../../../api/http/body/body-memory';

const MOST = 400;
const QUOTA = MOST / 4;
const USERS = ['ada', 'grace', 'edsger', 'barbara'] as const;
type User = (typeof USERS)[number];

/** A step: a new call of a user's that takes bytes, more bytes for an open call, its end, or time that passes (ms). */
type Step =
  | { readonly does: 'open'; readonly user: User; readonly bytes: number }
  | { readonly does: 'more'; readonly call: number; readonly bytes: number }
  | { readonly does: 'end'; readonly call: number }
  | { readonly does: 'wait'; readonly ms: number };

const bytes = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: MOST + 1 }));
const stepsOf = (users: ReadonlyArray<User>, longestWaitMs: number): fc.Arbitrary<ReadonlyArray<Step>> =>
  fc.array(
    fc.oneof(
      fc.record({ does: fc.constant('open' as const), user: fc.constantFrom(...users), bytes }),
      fc.record({ does: fc.constant('more' as const), call: fc.nat(50), bytes }),
      fc.record({ does: fc.constant('end' as const), call: fc.nat(50) }),
      fc.record({ does: fc.constant('wait' as const), ms: fc.nat(longestWaitMs) }),
    ),
    { maxLength: 60 },
  );

/** What came of an ask: who asked, what they held before, for how much, and the type of the refusal. */
interface Asked {
  readonly user: User;
  readonly held: number;
  readonly bytes: number;
  readonly refused?: string;
}

const world = () => {
  let now = 0;
  const reserve = createBodyMemory(MOST, () => now);
  const calls: { readonly user: User; readonly place: ReturnType<typeof reserve>; held: number }[] = [];
  const heldBy = (user: User): number =>
    calls.filter((call) => call.user === user).reduce((sum, { held }) => sum + held, 0);
  const ask = (call: (typeof calls)[number], bytes: number): Asked => {
    const before = heldBy(call.user);
    const taken = call.place.take(bytes);
    if (E.isRight(taken)) call.held += bytes;
    return { user: call.user, held: before, bytes, ...(E.isLeft(taken) && { refused: taken.left.type }) };
  };
  const end = (ended: (typeof calls)[number]): void => {
    ended.place.release();
    calls.splice(calls.indexOf(ended), 1);
  };
  return {
    all: (): number => calls.reduce((sum, { held }) => sum + held, 0),
    heldBy,
    endAll: (which: (user: User) => boolean): void => calls.filter(({ user }) => which(user)).forEach(end),
    open: (user: User, bytes: number): Asked => {
      const call = { user, place: reserve(user), held: 0 };
      calls.push(call);
      return ask(call, bytes);
    },
    step: (step: Step): Asked | undefined => {
      if (step.does === 'wait') now += step.ms;
      if (step.does === 'open') {
        const call = { user: step.user, place: reserve(step.user), held: 0 };
        calls.push(call);
        return ask(call, step.bytes);
      }
      const call =
        step.does === 'more' || step.does === 'end' ? calls[step.call % Math.max(1, calls.length)] : undefined;
      if (call === undefined) return undefined;
      if (step.does === 'more') return ask(call, step.bytes);
      end(call);
      return undefined;
    },
  };
};

const isWithinQuota = ({ held, bytes }: Asked): boolean => held + bytes <= QUOTA;

test.prop([stepsOf(USERS, 40_000)])('all bodies together never take more than the room', (steps) => {
  const room = world();
  for (const step of steps) {
    room.step(step);
    expect(room.all()).toBeLessThanOrEqual(MOST);
  }
});

test.prop([stepsOf(['ada'], 40_000)])('a user alone gets whatever fits into the room', (steps) => {
  const room = world();
  for (const step of steps) {
    const asked = room.step(step);
    if (asked !== undefined) expect(asked.refused === undefined).toBe(asked.held + asked.bytes <= MOST);
  }
});

test.prop([stepsOf(USERS, 40_000)])('429 is for a user beyond the quota, 503 for one within it', (steps) => {
  const room = world();
  for (const step of steps) {
    const asked = room.step(step);
    if (asked?.refused !== undefined) {
      expect(asked.refused).toBe(isWithinQuota(asked) ? 'unavailable' : 'too-many-requests');
    }
  }
});

test.prop([stepsOf(['ada', 'grace'], 1_000)])(
  'beside one who asked within the last minute, whatever they do, the other always gets a quota',
  (steps) => {
    const room = world();
    expect(room.open('ada', 1).refused).toBeUndefined();
    expect(room.open('grace', 1).refused).toBeUndefined();
    for (const step of steps.slice(0, 55)) {
      const asked = room.step(step);
      if (asked !== undefined && isWithinQuota(asked)) expect(asked.refused).toBeUndefined();
    }
  },
);

test.prop([
  stepsOf(USERS, 1_000),
  fc.array(fc.tuple(stepsOf(['ada'], 500), fc.integer({ min: 1, max: QUOTA })), { maxLength: 8 }),
])(
  'a newcomer gets a quota at the latest when the calls that were in flight at the first try have ended, however greedy their user goes on',
  (before, tries) => {
    const room = world();
    before.forEach((step) => room.step(step));
    room.endAll((user) => user !== 'ada');
    const first = room.open('grace', QUOTA);
    room.endAll((user) => user === 'grace');
    if (first.refused !== undefined) room.endAll(() => true);
    for (const [greedy, wanted] of tries) {
      greedy.slice(0, 12).forEach((step) => room.step(step));
      room.endAll((user) => user === 'grace');
      expect(room.open('grace', wanted).refused).toBeUndefined();
    }
  },
);

test.prop([stepsOf(USERS, 40_000), stepsOf(USERS, 900)])(
  'once all have shown what they want, and earlier calls have ended, nobody is refused within the quota',
  (before, steps) => {
    const room = world();
    before.forEach((step) => room.step(step));
    for (const user of USERS) {
      room.open(user, QUOTA);
    }
    room.endAll(() => true);
    for (const step of steps) {
      const asked = room.step(step);
      if (asked !== undefined && isWithinQuota(asked)) expect(asked.refused).toBeUndefined();
    }
  },
);

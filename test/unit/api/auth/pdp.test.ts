import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import { Registry } from 'prom-client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createPdpQuery, type PdpFailure } from '../../../../api/auth/pdp';
import type { Permission } from '../../../../api/ports';
import { recordedLog } from '../../../support/recorded-log';

const one: ReadonlyArray<Permission> = [{ action: 'POINT_ALARM_STATUS::GET_ALARM_STATUS', resource: 'a' }];
const two: ReadonlyArray<Permission> = [...one, { action: 'POINT_ALARM_STATUS::GET_ALARM_STATUS', resource: 'b' }];
const yes = { decision: true };
const no = { decision: false };

/** Asks a PDP that answers by `answer`: text and bytes as they are, a value as JSON. */
const asking = () => {
  const { log, records } = recordedLog();
  let answered: E.Either<PdpFailure, Uint8Array>;
  const post = () => TE.fromEither(answered);
  const ask = createPdpQuery(post, new Registry(), log);
  const outcomeOf = async (answer: object | string | Buffer | PdpFailure, wanted = one) => {
    answered =
      'outcome' in Object(answer)
        ? E.left(answer as PdpFailure)
        : E.right(Buffer.from(typeof answer === 'string' || Buffer.isBuffer(answer) ? answer : JSON.stringify(answer)));
    const found = await ask('ada', wanted)();
    return E.isRight(found) ? found.right : found.left._tag;
  };
  return { outcomeOf, records };
};

test('a clear answer is taken, whatever it says besides', async () => {
  const { outcomeOf } = asking();
  expect(await outcomeOf(yes)).toEqual([true]);
  expect(await outcomeOf(no)).toEqual([false]);
  expect(await outcomeOf({ ...yes, context: { reason: { en: 'fine' } }, evaluations: [no] })).toEqual([true]);
  expect(await outcomeOf({ evaluations: [yes, { ...no, context: { error: { status: 404 } } }] }, two)).toEqual([
    true,
    false,
  ]);
  expect(await outcomeOf({ evaluations: [no, yes], decision: false }, two)).toEqual([false, true]);
});

const unclear: ReadonlyArray<readonly [string, object | string | Buffer]> = [
  ['nothing', ''],
  ['null', 'null'],
  ['true', 'true'],
  ['a list', '[{"decision":true}]'],
  ['an empty object', '{}'],
  ['"true"', '{"decision":"true"}'],
  ['1', '{"decision":1}'],
  ['a decision of null', '{"decision":null}'],
  ['a decision in a list', '{"decision":[true]}'],
  ['a decision that is an object', '{"decision":{"decision":true}}'],
  ['a decision of another name', '{"Decision":true,"allowed":true,"result":true}'],
  ['a decision by a prototype', '{"__proto__":{"decision":true}}'],
  ['two decisions', '{"decision":false,"decision":true}'],
  ['two decisions, one written otherwise', String.raw`{"decision":false,"\u0064ecision":true}`],
  ['the answer to several', '{"evaluations":[{"decision":true}]}'],
  ['a page', '<html>{"decision":true}</html>'],
];

const unclearForTwo: ReadonlyArray<readonly [string, object | string | Buffer]> = [
  ['a single decision', yes],
  ['no decisions', { evaluations: [] }],
  ['one decision of two', { evaluations: [yes] }],
  ['three decisions of two', { evaluations: [yes, yes, yes] }],
  ['a decision and null', { evaluations: [yes, null] }],
  ['a decision and an error', { evaluations: [yes, { error: { status: 500 } }] }],
  ['decisions that are no list', { evaluations: { 0: yes, 1: yes, length: 2 } }],
  ['a list alone', [yes, yes]],
  [
    'lists of decisions twice',
    '{"evaluations":[{"decision":true}],"evaluations":[{"decision":true},{"decision":true}]}',
  ],
];

describe('no yes, and no no, is', () => {
  test.each(unclear)('%s', async (_, answer) => expect(await asking().outcomeOf(answer)).toBe('Unavailable'));

  test.each(unclearForTwo)('%s, to a question of two', async (_, answer) => {
    expect(await asking().outcomeOf(answer, two)).toBe('Unavailable');
  });
});

test('the log repeats each minute that it is unavailable', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { outcomeOf, records } = asking();
  for (let call = 0; call < 9; call += 1) {
    await outcomeOf({ outcome: 'timeout', reason: 'did not answer within 5 ms' });
    vi.advanceTimersByTime(15_000);
  }
  expect(records).toHaveLength(3);
});

test('the log says once that it is unavailable and once that it is back, for each endpoint', async () => {
  const { outcomeOf, records } = asking();
  const silent = { outcome: 'timeout', reason: 'did not answer within 5 ms' } as const;
  for (const answer of [silent, 'nothing', yes, yes, silent]) await outcomeOf(answer);
  await outcomeOf(silent, two);
  const [first, ...others] = records.map(({ msg, endpoint }) => [msg, endpoint]);
  expect(records[0]).toMatchObject(silent);
  expect([first, ...others]).toEqual([
    ['the policy decision point is unavailable', 'evaluation'],
    ['the policy decision point is available', 'evaluation'],
    ['the policy decision point is unavailable', 'evaluation'],
    ['the policy decision point is unavailable', 'evaluations'],
  ]);
});

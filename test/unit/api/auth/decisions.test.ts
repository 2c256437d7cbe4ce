import * as E from 'fp-ts/Either';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDecisionCache } from '../../../../api/auth/authorizer';
import type { QueryPdp } from '../../../../api/auth/pdp';
import type { Outage, Permission } from '../../../../api/ports';

const GET_STATUS = 'POINT_ALARM_STATUS::GET_ALARM_STATUS';
const outage: Outage = { _tag: 'Unavailable', dependency: 'x', retryAfter: 1, mayHaveChanged: false };

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

interface Question {
  readonly nodes: ReadonlyArray<string>;
  readonly answer: (...decisions: ReadonlyArray<boolean>) => void;
  readonly fail: () => void;
}

/** Decisions that are kept for `keepMs`, and what was asked for them; a question is answered when the test says so. */
const keeping = (keepMs: number) => {
  const asked: Question[] = [];
  const registry = new Registry();
  const ask: QueryPdp = (_, wanted) => () =>
    new Promise((resolve) => {
      asked.push({
        nodes: wanted.map(({ resource }) => resource),
        answer: (...decisions) => resolve(E.right(decisions)),
        fail: () => resolve(E.left(outage)),
      });
    });
  const violations = createDecisionCache(ask, keepMs, registry);
  const lacking = async (user: string, wanted: ReadonlyArray<Permission>) => {
    const found = await violations(user, wanted)();
    return E.isRight(found) ? found.right.map(({ resource }) => resource) : found.left._tag;
  };
  /** The nodes of `nodes` that the user may not read, or the failure's tag. */
  const violationsFor = (user: string, ...nodes: ReadonlyArray<string>) =>
    lacking(
      user,
      nodes.map((resource) => ({ action: GET_STATUS, resource })),
    );
  return { asked, registry, lacking, violationsFor };
};

describe('equal questions', () => {
  test('at once are one', async () => {
    const { violationsFor, asked, registry } = keeping(5_000);
    const answers = Array.from({ length: 50 }, () => violationsFor('ada', 'pump'));
    asked[0]?.answer(true);
    expect(await Promise.all(answers)).toEqual(Array(50).fill([]));
    expect(asked).toHaveLength(1);
    expect(await registry.getSingleMetricAsString('point_alarm_decisions_total')).toContain('{source="shared"} 49');
  });

  test('within one call are one', async () => {
    const { violationsFor, asked } = keeping(0);
    const answer = violationsFor('ada', 'pump', 'motor', 'pump', 'motor');
    asked[0]?.answer(true, false);
    expect(await answer).toEqual(['motor', 'motor']);
    expect(asked.map(({ nodes }) => nodes)).toEqual([['pump', 'motor']]);
  });

  test('are not shared, nor kept, where nothing is kept', () => {
    const { violationsFor, asked } = keeping(0);
    for (const _ of [1, 2]) void violationsFor('ada', 'pump');
    expect(asked).toHaveLength(2);
  });

  test('share no answer that was asked for longer ago than answers hold; of two the later question is kept', async () => {
    const { violationsFor, asked } = keeping(200);
    const first = violationsFor('ada', 'pump');
    await vi.advanceTimersByTimeAsync(200);
    const second = violationsFor('ada', 'pump');
    asked[1]?.answer(false);
    expect(await second).toEqual(['pump']);
    asked[0]?.answer(true);
    expect(await first).toEqual([]);
    expect(await violationsFor('ada', 'pump')).toEqual(['pump']);
    expect(asked).toHaveLength(2);
  });

  test('share a failure, which is not kept', async () => {
    const { violationsFor, asked } = keeping(5_000);
    const answers = [violationsFor('ada', 'pump'), violationsFor('ada', 'pump')];
    asked[0]?.fail();
    expect(await Promise.all(answers)).toEqual(['Unavailable', 'Unavailable']);
    void violationsFor('ada', 'pump');
    expect(asked).toHaveLength(2);
  });
});

describe('an answer', () => {
  test('holds from the moment of the question', async () => {
    const { violationsFor, asked } = keeping(300);
    const first = violationsFor('ada', 'pump');
    await vi.advanceTimersByTimeAsync(299);
    asked[0]?.answer(true);
    expect(await first).toEqual([]);
    expect(await violationsFor('ada', 'pump')).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    void violationsFor('ada', 'pump');
    expect(asked).toHaveLength(2);
  });

  test('is of its user, its action and its node alone', () => {
    const { violationsFor, asked, lacking } = keeping(5_000);
    void violationsFor('ada', 'pump');
    void lacking('ada', [{ action: 'POINT_ALARM_STATUS::UPDATE_ALARM_STATUS', resource: 'pump' }]);
    for (const [user, node] of [
      ['bob', 'pump'],
      ['Ada', 'pump'],
      ['ada', 'motor'],
      ['pump ada', 'x'],
      ['ada', 'pump'],
    ] as const)
      void violationsFor(user, node);
    expect(asked).toHaveLength(6);
  });

  test('to some of a batch leaves a question for the others', async () => {
    const { violationsFor, asked } = keeping(5_000);
    const first = violationsFor('ada', 'pump');
    asked[0]?.answer(true);
    await first;
    const batch = violationsFor('ada', 'motor', 'pump', 'line');
    asked[1]?.answer(false, true);
    expect(await batch).toEqual(['motor']);
    expect(await violationsFor('ada', 'line')).toEqual([]);
    expect(asked.map(({ nodes }) => nodes)).toEqual([['pump'], ['motor', 'line']]);
  });
});

import { expect, test } from 'vitest';
import { handleEvents } from '../../../../cli/forward/alertmanager/handle-event';
import { immediateTiming, timingOf, type Timing } from '../../../../cli/forward/alertmanager/timing';
import type { StatusEvent } from '../../../../workflows/domain/node/events';
import { anId } from '../../../support/scenario';

const watched = timingOf({ silentAfter: [{ ms: 3_600_000 }] }, new Map(), undefined);

const measured: StatusEvent = {
  ...{ type: 'PointAlarmStatusEvent', aggregateId: anId(1), userId: 'u', sequenceId: '01KB0000000000000000000001' },
  ...{ updatedAt: 5, alarmStatus: 2, alarmsChanged: false, measurementId: anId(2), overallAlarm: { status: 2 } },
};
const { measurementId: _, ...recalculated } = measured;
const { overallAlarm: __, ...cleared } = recalculated;

/** The effect of an event on a node of which nothing is kept. */
const effectOf = (timing: Timing, event: StatusEvent) =>
  handleEvents(timing.of, async (appendedAt) => appendedAt)(
    event,
    async () => undefined,
    new AbortController().signal,
    7,
  );

test('a measurement of a watched node is kept, with the time at which the node may be silent', async () =>
  expect(await effectOf(watched, measured)).toEqual({
    texts: { measured: '{"at":7,"since":5,"status":2}' },
    scores: { silence: 3_600_007 },
  }));

test('a measurement of a node that is not watched any more ends what is kept: it would be silent once it is watched again', async () =>
  expect(await effectOf(immediateTiming, measured)).toEqual({ texts: { measured: null }, scores: { silence: null } }));

test('so does the threshold of such a node that is cleared', async () =>
  expect(await effectOf(immediateTiming, cleared)).toMatchObject({ texts: { measured: null } }));

test('what is no measurement says nothing of a node that is not watched', async () =>
  expect(await effectOf(immediateTiming, recalculated)).toBeUndefined());

import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { createActivities } from '../../../activities/publish-events';
import type { NodeEvents } from '../../../stream/append';
import type { Appended } from '../../../stream/append';

const batch: NodeEvents = {
  nodeId: 'n',
  events: [{ type: 'PointAlarmStatusEvent', sequenceId: '02', timestamp: 0, userId: 'u', data: {} }],
};

/** The publish activity on a publisher whose tries end like `ends`, and the batches that it was given. */
const publishing = (...ends: ReadonlyArray<Error | Appended>) => {
  const tries: NodeEvents[] = [];
  const { publishEvents } = createActivities({
    append: async (one) => {
      tries.push(one);
      const end = ends[tries.length - 1] ?? new Error('more tries than expected');
      if (end instanceof Error) throw end;
      return end;
    },
  });
  const logged: unknown[] = [];
  const logger = new DefaultLogger('WARN', ({ message, meta }) => logged.push([message, meta?.['reason']]));
  const environment = new MockActivityEnvironment({}, { logger });
  return { tries, logged, environment, answer: () => environment.run(publishEvents, batch) };
};

test('the activity answers the id that the stream names, which may be newer than the last of its batch', async () => {
  expect(await publishing({ newest: '03', added: 0, isPublished: true }).answer()).toBe('03');
});

test('a publication that the stream did not take is logged once, and tried again', async () => {
  const { answer, tries, logged } = publishing(new Error('not taken'), new Error('not taken'), {
    newest: '02',
    added: 1,
    isPublished: true,
  });
  expect(await answer()).toBe('02');
  expect(tries).toEqual([batch, batch, batch]);
  expect(logged).toEqual([['events wait for the stream', 'not taken']]);
});

test('an activity that is cancelled while it waits for the stream ends', async () => {
  const { answer, environment } = publishing(...Array.from({ length: 100 }, () => new Error('away')));
  environment.on('heartbeat', (tries: unknown) => {
    if (tries === 2) environment.cancel('CANCELLED', { cancelRequested: true } as never);
  });
  await expect(answer()).rejects.toThrow('CANCELLED');
});

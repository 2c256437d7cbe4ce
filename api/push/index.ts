import type { Registry } from 'prom-client';
import { measurePublisher } from '../../activities/measured-publishing';
import { createStreamPublisher } from '../../activities/redis-stream';
import type { EventSettings } from '../../process/settings';
import type { RedisClient } from '../../process/redis';
import { createPublishNow } from '../adapters/temporal/publish-now';
import { createSendGroup, type GroupSender } from '../adapters/temporal/send-group';
import type { SendGroup } from '../adapters/temporal/lane';
import { createNotes } from './notes';
import { createPush } from './push';
import { startSweep } from './sweep';

export interface PushSetting extends GroupSender {
  readonly redis: RedisClient;
  readonly events: EventSettings;
  readonly registry: Registry;
}

export interface RunningPush {
  readonly sendGroup: SendGroup;
  /** Lets what is on its way to the stream arrive. */
  readonly close: () => Promise<void>;
}

/** The API's own way of publishing, with the sweep that sees to what a process left behind. */
export const startPush = ({ redis, events, registry, ...sender }: PushSetting): RunningPush => {
  const notes = createNotes(redis, events.stream);
  const publishNow = createPublishNow(sender.workflowsUntil);
  const publisher = measurePublisher(createStreamPublisher(redis, events), registry);
  const push = createPush({ send: createSendGroup(sender), publishNow, publisher, notes, log: sender.log });
  const sweep = startSweep({ notes, publishNow, log: sender.log });
  return {
    sendGroup: push.sendGroup,
    close: async () => {
      await Promise.all([sweep.close(), push.drained()]);
    },
  };
};

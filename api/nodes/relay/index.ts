import type { Registry } from 'prom-client';
import { measurePublisher } from '../../../stream/measured-publisher';
import { createPublisher } from '../../../stream/partitioned-publisher';
import type { EventSettings } from '../../../process/settings';
import type { StreamLinks } from '../../../stream/connection';
import { createPublishNow } from '../temporal/publish-now';
import { createSendGroup, type GroupSender } from '../temporal/send-group';
import type { SendGroup } from '../node-queue';
import { createPartitionedIntents } from '../../../stream/publish-intents';
import { createRelay } from './relay';
import { startSweep } from './sweep';

export interface RelaySettings extends GroupSender {
  readonly redis: StreamLinks;
  readonly events: EventSettings;
  readonly registry: Registry;
}

export interface RunningRelay {
  readonly sendGroup: SendGroup;
  /** Waits for the publications in flight. */
  readonly close: () => Promise<void>;
}

/** The relay, with the sweep that has the nodes of orphaned intents publish. */
export const startRelay = ({ redis, events, registry, ...sender }: RelaySettings): RunningRelay => {
  const intents = createPartitionedIntents(redis.links, events);
  const publishNow = createPublishNow(sender.workflowsUntil);
  const publisher = measurePublisher(createPublisher(redis, events), registry);
  const relay = createRelay({ send: createSendGroup(sender), publishNow, publisher, intents, log: sender.log });
  const sweep = startSweep({ intents, publishNow, log: sender.log });
  return {
    sendGroup: relay.sendGroup,
    close: async () => {
      await Promise.all([sweep.close(), relay.drained()]);
    },
  };
};

import * as E from 'fp-ts/Either';
import type { Log } from '../../process/log';
import type { SendGroup } from '../adapters/temporal/lane';
import type { PointAlarms } from '../ports';
import { followEvents, type StreamReader } from './follow-events';
import { createMemory, type MemorySettings } from './memory';
import { rememberedReads } from './remembered-reads';

export interface MemoryParts {
  /** A connection of its own: a read that waits blocks it. */
  readonly redis: StreamReader;
  readonly stream: string;
  readonly ask: MemorySettings['ask'];
  readonly nodes: number;
  readonly callDeadlineMs: number;
  readonly log: Log;
}

export interface RunningMemory {
  /** `send`, which tells the memory what it acknowledges. */
  readonly telling: (send: SendGroup) => SendGroup;
  /** `nodes` with reads from memory. */
  readonly reading: (nodes: PointAlarms) => PointAlarms;
  readonly close: () => Promise<void>;
}

/** Follows the stream from now on, and answers reads from what it told (docs/reliability.md, "Reads from memory"). */
export const startMemory = ({ redis, stream, ask, nodes, callDeadlineMs, log }: MemoryParts): RunningMemory => {
  const memory = createMemory({ ask, nodes });
  const following = followEvents({ redis, stream, take: memory.take, missed: memory.forgetAll, log });
  return {
    telling: (send) => async (nodeId, commands, until) => {
      const sent = await send(nodeId, commands, until);
      if (E.isRight(sent.answer)) memory.committed(nodeId, sent.answer.right);
      else memory.forget(nodeId);
      return sent;
    },
    reading: (port) => rememberedReads({ nodes: port, memory, currentAsOf: following.currentAsOf, callDeadlineMs }),
    close: following.close,
  };
};

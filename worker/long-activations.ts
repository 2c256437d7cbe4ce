import { BroadcastChannel } from 'node:worker_threads';

/** Time (ms) from which on an uninterrupted run of a node's code is reported: other nodes of the worker wait for it. */
const LONG_MS = 100;

/** From the thread of the workflows to the one that serves metrics. Neither waits for the other. */
const channelOf = (): BroadcastChannel => {
  const channel = new BroadcastChannel('point-alarm-long-activations');
  channel.unref();
  return channel;
};

/** What reports the time (ms) that a run of a node's code took, where it was long. */
export const createReport = (): ((ms: number) => void) => {
  const channel = channelOf();
  return (ms) => {
    if (ms >= LONG_MS) channel.postMessage(ms);
  };
};

/** Calls `listener` with each time (ms) that is reported in this process. */
export const onLongActivation = (listener: (ms: number) => void): void => {
  channelOf().onmessage = ({ data }: { readonly data?: unknown }) => {
    if (typeof data === 'number') listener(data);
  };
};

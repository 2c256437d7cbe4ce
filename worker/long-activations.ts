import { BroadcastChannel } from 'node:worker_threads';

/** Shortest run (ms) of a node's code that is reported. The other nodes of the workflow thread wait until it ends. */
const LONG_MS = 100;

/** Channel from the workflow thread to the thread that serves metrics. Neither thread waits for the other. */
const channelOf = (): BroadcastChannel => {
  const channel = new BroadcastChannel('point-alarm-long-activations');
  channel.unref();
  return channel;
};

/** Creates a function to call with the time (ms) for which a node's code ran. The function reports long times. */
export const createLongActivationReporter = (): ((ms: number) => void) => {
  const channel = channelOf();
  return (ms) => {
    if (ms >= LONG_MS) channel.postMessage(ms);
  };
};

/** Calls `listener` with each time (ms) that a workflow thread of this process reports. */
export const onLongActivation = (listener: (ms: number) => void): void => {
  channelOf().onmessage = ({ data }: { readonly data?: unknown }) => {
    if (typeof data === 'number') listener(data);
  };
};

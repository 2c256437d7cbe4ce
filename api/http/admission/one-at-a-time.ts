import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Passes one request of a connection at a time to `listener`. A request that comes before the answer to the one before it ends the
 * connection with that answer, and is not carried out: nobody gets more turns by pipelining.
 */
export const oneAtATime = (listener: Listener): ((...call: readonly [IncomingMessage, ServerResponse]) => void) => {
  const answering = new WeakMap<Socket, ServerResponse>();
  return (request, response) => {
    const { socket } = request;
    const current = answering.get(socket);
    if (current === undefined || (current.shouldKeepAlive && current.writableEnded)) {
      answering.set(socket, response);
      void listener(request, response);
    } else if (current.shouldKeepAlive) {
      socket.pause();
      current.shouldKeepAlive = false;
      if (current.headersSent) current.once('close', () => socket.destroy());
    }
  };
};

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Requests that may wait on a connection for the one that is answered. */
const MOST_WAITING = 32;

/** The requests of one connection. */
interface Line {
  readonly waiting: (readonly [IncomingMessage, ServerResponse])[];
  answering?: ServerResponse;
}

/**
 * Gives `listener` the requests of each connection one after the other: nobody gets more than others by sending many without
 * waiting for answers. Where too many wait, the connection ends with the answer in flight; nothing that follows the
 * request with which a connection ends is carried out (RFC 9112, section 9.6), as Node would.
 */
export const serialiseConnections = (
  listener: Listener,
): ((...call: readonly [IncomingMessage, ServerResponse]) => void) => {
  const lines = new WeakMap<Socket, Line>();
  const take = (line: Line): void => {
    const next = line.waiting.shift();
    if (next === undefined) {
      delete line.answering;
      return;
    }
    const [request, response] = next;
    line.answering = response;
    response.once('close', () => {
      if (response.shouldKeepAlive && !request.socket.destroyed) take(line);
    });
    void listener(...next);
  };
  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket) ?? { waiting: [] };
    lines.set(socket, line);
    if (line.answering?.shouldKeepAlive === false) return;
    line.waiting.push([request, response]);
    if (line.answering === undefined) take(line);
    else if (line.waiting.length > MOST_WAITING) end(socket, line.answering);
  };
};

/** The answers with which a connection ends because too many requests waited behind. */
const overfull = new WeakSet<ServerResponse>();
export const isOverfull = (response: ServerResponse): boolean => overfull.has(response);

const end = (socket: Socket, answering: ServerResponse): void => {
  overfull.add(answering);
  socket.pause();
  answering.shouldKeepAlive = false;
  if (answering.headersSent) answering.once('close', () => socket.destroy());
};

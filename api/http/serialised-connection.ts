import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Most requests that wait on a connection behind the one in progress. */
const MOST_WAITING = 32;

/** The requests of one connection. */
interface Line {
  readonly waiting: (readonly [IncomingMessage, ServerResponse])[];
  answering?: ServerResponse;
}

/**
 * Passes the requests of each connection to `listener` one at a time, so pipelining gives a caller no advantage. Where too
 * many wait, the connection ends with the answer in flight. No request after the last one is carried out (RFC 9112,
 * section 9.6), unlike in Node.
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

/** The last answers of connections on which too many requests waited. */
const overfull = new WeakSet<ServerResponse>();
export const isOverfull = (response: ServerResponse): boolean => overfull.has(response);

const end = (socket: Socket, answering: ServerResponse): void => {
  overfull.add(answering);
  socket.pause();
  answering.shouldKeepAlive = false;
  if (answering.headersSent) answering.once('close', () => socket.destroy());
};

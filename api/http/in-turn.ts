import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { createTurns } from '../admission/turns';

export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Requests for each turn of the event loop, between which new connections and answers of the nodes are taken. */
const AT_ONCE = 4;

/** Least time (ms) between two surplus requests, so that refusals take a part of the process only; and the longest wait (ms) for one. */
const SURPLUS = { eachMs: 0.5, longestMs: 1_000 };

/** The response of a connection whose request was begun last. */
export const answering = new WeakMap<Duplex, ServerResponse>();

const surplus = new WeakSet<IncomingMessage>();

/** Whether more requests come under the token of this one than can be begun, so that it is to be refused before anything else. */
export const isSurplus = (request: IncomingMessage): boolean => surplus.has(request);

/**
 * Passes a few requests for each turn of the event loop to `listener`. Tokens take turns, and reads do not wait behind writes. New
 * connections go first, since Node takes one for each turn. Surplus requests, whose refusal costs little, do not wait for all that.
 * A request that comes before the answer to the one before it on its connection ends that, and is not carried out.
 */
export const passInTurn = (server: Server, listener: Listener): void => {
  let isConnected = false;
  let surplusAt = 0;
  const { inTurn, isFull } = createTurns(AT_ONCE, () => {
    const wasConnected = isConnected;
    isConnected = false;
    return wasConnected;
  });
  server.on('connection', () => (isConnected = true));
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const current = answering.get(socket);
    if (current === undefined || (current.shouldKeepAlive && current.writableEnded)) {
      answering.set(socket, response);
      const begin = (): void => {
        if (!response.closed) void listener(request, response);
      };
      const whose = `${/^(GET|HEAD)$/u.test(request.method ?? '') ? 'reads' : 'writes'} ${request.headers.authorization ?? ''}`;
      if (isFull(whose)) {
        surplus.add(request);
        const now = performance.now();
        surplusAt = Math.min(Math.max(now, surplusAt + SURPLUS.eachMs), now + SURPLUS.longestMs);
        setTimeout(begin, surplusAt - now);
      } else void inTurn(whose, begin);
    } else if (current.shouldKeepAlive) {
      socket.pause();
      current.shouldKeepAlive = false;
      if (current.headersSent) current.once('close', () => socket.destroy());
    }
  });
};

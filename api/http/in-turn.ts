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

const arrivals = new WeakMap<IncomingMessage, number>();

/** When the head of the request was there, by `performance.now()`. */
export const arrivalOf = (request: IncomingMessage): number => arrivals.get(request) ?? performance.now();

/** In whose turn a request begins: a page that needs no token has turns of its own, so that a crowd at one holds up no probe. */
const whoseTurn = ({ method, url = '', headers }: IncomingMessage, pages: ReadonlySet<string>): string => {
  const path = url.split('?', 1)[0] ?? '';
  if (pages.has(path)) return path;
  return `${/^(GET|HEAD)$/u.test(method ?? '') ? 'reads' : 'writes'} ${headers.authorization ?? ''}`;
};

/**
 * Passes a few requests for each turn of the event loop to `listener`. Tokens take turns, and reads do not wait behind writes. New
 * connections go first, since Node takes one for each turn. Surplus requests, whose refusal costs little, do not wait for all that.
 * A request that comes before the answer to the one before it on its connection ends that, and is not carried out.
 */
export const passInTurn = (server: Server, listener: Listener, pages: ReadonlySet<string>): void => {
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
    arrivals.set(request, performance.now());
    const current = answering.get(socket);
    if (current === undefined || (current.shouldKeepAlive && current.writableEnded)) {
      answering.set(socket, response);
      const begin = (): void => {
        if (!response.closed) void listener(request, response);
      };
      const whose = whoseTurn(request, pages);
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

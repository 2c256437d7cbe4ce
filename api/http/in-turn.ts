import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { createLinkedList } from '../admission/linked-list';
import { createTurns } from '../admission/turns';

export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Requests for each turn of the event loop, between which new connections and answers of the nodes are taken. */
const AT_ONCE = 4;

/** Time (ms) for each surplus request, so that refusals take a part of the process only. */
const SURPLUS_MS = 0.5;

/** The response of a connection whose request was begun last. */
export const answering = new WeakMap<Duplex, ServerResponse>();

const surplus = new WeakSet<IncomingMessage>();

/** Whether more requests come from the user of this one than can be begun, so that it is to be refused before anything else. */
export const isSurplus = (request: IncomingMessage): boolean => surplus.has(request);

const arrivals = new WeakMap<IncomingMessage, number>();

/** When the head of the request was there, by `performance.now()`. */
export const arrivalOf = (request: IncomingMessage): number => arrivals.get(request) ?? performance.now();

/** The user whose token was verified before; undefined for other tokens, and where there is none. */
export type VerifiedUserOf = (authorization: string | undefined) => string | undefined;

/** In whose turn a call begins. All other tokens share a turn: whoever invents them can have any number. */
const whoseTurn = ({ method, headers }: IncomingMessage, userOf: VerifiedUserOf): string =>
  `${/^(GET|HEAD)$/u.test(method ?? '') ? 'reads' : 'writes'} ${userOf(headers.authorization) ?? ''}`;

/** Begins surplus requests at their pace, in their order. Those that have closed take no time. */
const createSurplus = () => {
  const waiting = createLinkedList<{ readonly response: ServerResponse; readonly begin: () => void }>();
  let at = 0;
  const drive = (): void => {
    for (let first = waiting.first(); first !== undefined && at <= performance.now(); first = waiting.first()) {
      waiting.remove(first);
      if (first.value.response.closed) continue;
      at += SURPLUS_MS;
      first.value.begin();
    }
    if (waiting.size() > 0) setTimeout(drive, SURPLUS_MS);
  };
  return (response: ServerResponse, begin: () => void): void => {
    waiting.add({ response, begin });
    if (waiting.size() > 1) return;
    at = Math.max(at, performance.now() + SURPLUS_MS);
    setTimeout(drive, SURPLUS_MS);
  };
};

/**
 * Passes a few requests for each turn of the event loop to `listener`. Users take turns, and reads do not wait behind writes. New
 * connections go first, since Node takes one for each turn. Each of `pages` needs no token and has turns of its own, beside those of
 * calls, so that neither a crowd of calls nor one at another page holds up a probe. Surplus requests, whose refusal costs little, do
 * not wait for all that. A request that comes before the answer to the one before it on its connection ends that, and is not carried out.
 */
export const passInTurn = (
  server: Server,
  listener: Listener,
  pages: ReadonlySet<string>,
  userOf: VerifiedUserOf,
): void => {
  let isConnected = false;
  const ofCalls = createTurns(AT_ONCE, () => {
    const wasConnected = isConnected;
    isConnected = false;
    return wasConnected;
  });
  const ofPages = createTurns();
  const passSurplus = createSurplus();
  server.on('connection', () => (isConnected = true));
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket, url = '' } = request;
    arrivals.set(request, performance.now());
    const current = answering.get(socket);
    if (current === undefined || (current.shouldKeepAlive && current.writableEnded)) {
      answering.set(socket, response);
      const begin = (): void => {
        if (!response.closed) void listener(request, response);
      };
      const path = url.split('?', 1)[0] ?? '';
      const [{ inTurn, isFull }, whose] = pages.has(path) ? [ofPages, path] : [ofCalls, whoseTurn(request, userOf)];
      if (isFull(whose)) {
        surplus.add(request);
        passSurplus(response, begin);
      } else void inTurn(whose, begin);
    } else if (current.shouldKeepAlive) {
      socket.pause();
      current.shouldKeepAlive = false;
      if (current.headersSent) current.once('close', () => socket.destroy());
    }
  });
};

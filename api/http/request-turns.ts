import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { createLinkedList } from '../admission/linked-list';
import { createTurns } from '../admission/turns';

export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Requests begun per turn of the event loop. Between turns the process accepts connections and reads the nodes' answers. */
const AT_ONCE = 4;

/** Interval (ms) between two surplus requests (`isSurplus`), so that refusing them takes only a part of the process's time. */
const SURPLUS_MS = 0.5;

/** The response to the newest accepted request of each connection. */
export const currentResponse = new WeakMap<Duplex, ServerResponse>();

const surplus = new WeakSet<IncomingMessage>();

/** Whether the request is surplus: its user sends more than this process can begin. Unless a probe, it is refused at once. */
export const isSurplus = (request: IncomingMessage): boolean => surplus.has(request);

const arrivals = new WeakMap<IncomingMessage, number>();

/** When the head of the request had arrived, as a time of `performance.now()`. */
export const arrivalOf = (request: IncomingMessage): number => arrivals.get(request) ?? performance.now();

/** The user of a token that was verified before. Undefined for an unverified token, and without a token. */
export type VerifiedUserOf = (authorization: string | undefined) => string | undefined;

/** The key of a request's turn: read or write, and its user. Unverified tokens count as one user, as anyone can invent some. */
const turnKeyOf = ({ method, headers }: IncomingMessage, userOf: VerifiedUserOf): string =>
  `${/^(GET|HEAD)$/u.test(method ?? '') ? 'reads' : 'writes'} ${userOf(headers.authorization) ?? ''}`;

/** Begins surplus requests in order, one per `SURPLUS_MS`. Skips requests whose caller has disconnected. */
const createSurplusQueue = () => {
  const waiting = createLinkedList<{ readonly response: ServerResponse; readonly begin: () => void }>();
  let at = 0;
  const beginDue = (): void => {
    for (let first = waiting.first(); first !== undefined && at <= performance.now(); first = waiting.first()) {
      waiting.remove(first);
      if (first.value.response.closed) continue;
      at += SURPLUS_MS;
      first.value.begin();
    }
    if (waiting.size() > 0) setTimeout(beginDue, SURPLUS_MS);
  };
  return (response: ServerResponse, begin: () => void): void => {
    waiting.add({ response, begin });
    if (waiting.size() > 1) return;
    at = Math.max(at, performance.now() + SURPLUS_MS);
    setTimeout(beginDue, SURPLUS_MS);
  };
};

/**
 * Passes a few requests per turn of the event loop to `listener`. Users take turns, and reads do not wait behind writes. New
 * connections go first, since Node accepts one per turn. Each path of `pages` needs no token and has turns of its own, so that
 * a health check waits neither behind calls nor behind requests for another page. Surplus requests skip the turns, because
 * refusals cost little. If a request arrives before the previous one on its connection is answered, it is not carried out, and
 * the connection is closed.
 */
export const beginRequestsInTurn = (
  server: Server,
  listener: Listener,
  pages: ReadonlySet<string>,
  userOf: VerifiedUserOf,
): void => {
  let isConnected = false;
  const callTurns = createTurns(AT_ONCE, () => {
    const wasConnected = isConnected;
    isConnected = false;
    return wasConnected;
  });
  const pageTurns = createTurns();
  const queueSurplus = createSurplusQueue();
  server.on('connection', () => (isConnected = true));
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket, url = '' } = request;
    arrivals.set(request, performance.now());
    const current = currentResponse.get(socket);
    if (current === undefined || (current.shouldKeepAlive && current.writableEnded)) {
      currentResponse.set(socket, response);
      const begin = (): void => {
        if (!response.closed) void listener(request, response);
      };
      const path = url.split('?', 1)[0] ?? '';
      const [{ runInTurn, isFull }, turnKey] = pages.has(path)
        ? [pageTurns, path]
        : [callTurns, turnKeyOf(request, userOf)];
      if (isFull(turnKey)) {
        surplus.add(request);
        queueSurplus(response, begin);
      } else void runInTurn(turnKey, begin);
    } else if (current.shouldKeepAlive) {
      socket.pause();
      current.shouldKeepAlive = false;
      if (current.headersSent) current.once('close', () => socket.destroy());
    }
  });
};

import type { IntentStore } from '../../../stream/publish-intents';
import type { ScriptRunner } from '../../../stream/append';
import type { StreamReader } from '../../../stream/follow-events';
import { after, clockOf, type Host } from '../engine/host';
import type { NoteOf, Weather } from '../world/weather';
import { changes, emptyRedis, execute, RedisError, type RedisCommand, type RedisState } from './redis-state';

/**
 * A Redis server with its connections: what one server does is in `redis-state.ts`, this is what may come between.
 *
 * - One connection carries commands and replies in order (TCP).
 * - A command that its client gave up on may still be carried out; a reply may be lost.
 * - A restart loses the last moments with `appendfsync everysec`: https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/
 * - A failover loses what the replica lacks; WAIT covers what its own connection wrote:
 *   https://redis.io/docs/latest/commands/wait/
 * - A full memory refuses what needs more: https://redis.io/docs/latest/develop/reference/eviction/
 */
export interface RedisServer {
  /** Connects `host`, and keeps connecting, as `stream/redis-connection.ts` does. */
  readonly connect: (host: Host, isLinked: () => boolean) => RedisLink;
  readonly state: () => RedisState;
  /** The stream's newest ids of nodes before the schedule begins, under the key of their hash; no fault loses them. */
  readonly remember: (key: string, newest: ReadonlyMap<string, string>) => void;
  /** Ends it, and brings it back after `downMs` without the writes of the last `lostMs`. */
  readonly restart: (downMs: number, lostMs: number) => void;
  /** Ends it; its replica takes over after `downMs` with what it has. */
  readonly failOver: (downMs: number) => void;
  /** Nothing comes to the replica until `until`. */
  readonly cutReplica: (until: number) => void;
  isFull: boolean;
  /** The events that it took and lost: `node sequenceId`. */
  readonly lost: ReadonlySet<string>;
  /** Whether it ever lost writes, of whatever kind. */
  readonly hasLostWrites: () => boolean;
  /** Drops every connection of `host`, and those that do not answer. */
  readonly connections: () => ReadonlyArray<RedisLink>;
}

/** The connection of now of a process. */
export interface RedisLink {
  readonly client: RedisClient;
  readonly host: Host;
  /** Ends the connection of now: what waits for it fails. */
  readonly drop: (why: string) => void;
}

export type RedisClient = IntentStore & ScriptRunner & StreamReader;

export interface RedisParts {
  readonly host: Host;
  readonly weather: Weather;
  /** How far the replica is behind (ms). */
  readonly replicaLagMs: number;
  /** Called for each event that is appended, as `node sequenceId`. */
  readonly appended: (nodeId: string, sequenceId: string) => void;
  readonly note: NoteOf;
}

/** After so long (ms) without an answer a connection is given up: `stream/redis-connection.ts`. */
const SILENCE_MS = 2_000;
const PING_MS = 500;

type Sent = RedisCommand | { readonly name: 'wait'; readonly ms: number };

/** How a trace names a command. */
const shownAs: Readonly<Record<string, string>> = {
  append: 'appends events',
  zAdd: 'writes a publish intent',
  zRem: 'removes a publish intent',
  set: 'says that it lives',
};

interface Written {
  readonly command: RedisCommand;
  /** By the clock of the server, and in virtual time. */
  readonly now: number;
  readonly at: number;
}

export const createRedis = ({ host: server, weather, replicaLagMs, appended, note }: RedisParts): RedisServer => {
  const { scheduler } = server;
  const remembered = new Map<string, ReadonlyMap<string, string>>();
  const stateBefore = (): RedisState => ({
    ...emptyRedis(),
    hashes: new Map([...remembered].map(([key, newest]) => [key, new Map(newest)])),
  });
  let state = stateBefore();
  let log: Written[] = [];
  let isUp = true;
  let replicaStopsAt = Infinity;
  let hasLostWrites = false;
  const lost = new Set<string>();
  const links: RedisLink[] = [];
  const readers = new Set<() => void>();

  const redis: RedisServer = {
    connect: (host, isLinked) => {
      const link = connectLink(host, isLinked);
      links.push(link);
      return link;
    },
    state: () => state,
    remember: (key, newest) => {
      remembered.set(key, newest);
      state = stateBefore();
    },
    restart: (downMs, lostMs) => {
      const from = scheduler.now() - lostMs;
      comeBack(downMs, log.filter(({ at }) => at <= from).length);
    },
    failOver: (downMs) => comeBack(downMs, replicated()),
    cutReplica: (until) => {
      replicaStopsAt = scheduler.now();
      scheduler.at(until, () => {
        replicaStopsAt = Infinity;
      });
    },
    isFull: false,
    lost,
    hasLostWrites: () => hasLostWrites,
    connections: () => links,
  };

  /** How many writes the replica has. */
  const replicated = (): number => {
    const upTo = Math.min(scheduler.now() - replicaLagMs, replicaStopsAt);
    return log.filter(({ at }) => at <= upTo).length;
  };
  const comeBack = (downMs: number, kept: number): void => {
    isUp = false;
    for (const link of links) link.drop('the server ended');
    const taken = eventsOf(state);
    for (const { command } of log.slice(kept))
      for (const event of eventsIn(command)) if (taken.has(event)) lost.add(event);
    if (kept < log.length) {
      hasLostWrites = true;
      log = log.slice(0, kept);
      state = stateBefore();
      for (const { command, now } of log) execute(state, command, now);
      for (const { command } of log) for (const event of eventsIn(command)) lost.delete(event);
    }
    scheduler.at(scheduler.now() + downMs, () => {
      isUp = true;
    });
  };
  const carryOut = (command: RedisCommand): unknown => {
    const now = clockOf(server);
    const before = command.name === 'append' ? (state.streams.get(command.keys[0])?.entries.length ?? 0) : 0;
    const reply = execute(state, command, now, redis.isFull);
    if (changes(command)) log.push({ command, now, at: scheduler.now() });
    if (command.name === 'append') {
      for (const { message } of state.streams.get(command.keys[0])?.entries.slice(before) ?? []) {
        const [nodeId = '', sequenceId = ''] = [message['aggregateId'], message['sequenceId']];
        lost.delete(`${nodeId} ${sequenceId}`);
        appended(nodeId, sequenceId);
      }
      for (const wake of [...readers]) wake();
    }
    return reply;
  };

  const connectLink = (host: Host, isLinked: () => boolean): RedisLink => {
    let connection = open();
    return {
      host,
      get client() {
        return connection.client;
      },
      drop: (why) => connection.drop(why),
    };

    function open(): { readonly client: RedisClient; readonly drop: (why: string) => void } {
      const pending = new Set<(error: Error) => void>();
      let isReady = false;
      let isOver = false;
      let arrival = 0;
      let reply = 0;
      let writes = 0;
      const drop = (why: string): void => {
        if (isOver) return;
        isOver = true;
        isReady = false;
        if (why !== '') note(host.name, `loses its connection to Redis: ${why}`);
        for (const fail of pending) after(host, 0, () => fail(new Error('Socket closed unexpectedly')));
        pending.clear();
        reconnect(50);
      };
      const reconnect = (pauseMs: number): void =>
        after(host, pauseMs * (0.5 + host.random.draw() / 2), () => {
          if (!isUp || !isLinked() || server.frozenUntil > scheduler.now()) reconnect(Math.min(1_000, 2 * pauseMs));
          else connection = open();
        });
      /** A command on its way there and back; both ways keep the order. */
      const send = (command: Sent, blockMs = 0): Promise<unknown> => {
        if (!isReady) return Promise.reject(new Error('The client is closed'));
        if (changes(command)) note(host.name, shownAs[command.name] ?? command.name, 'redis');
        return new Promise((resolve, reject) => {
          let isDone = false;
          const fail = (error: Error): void => {
            isDone = true;
            reject(error);
          };
          pending.add(fail);
          const done = (work: () => void): void => {
            reply = Math.max(reply, scheduler.now() + weather.latency());
            scheduler.at(
              reply,
              () => {
                if (isOver || isDone || !isLinked()) return;
                isDone = true;
                pending.delete(fail);
                work();
              },
              host,
            );
          };
          after(host, SILENCE_MS + PING_MS * weather.draw() + blockMs, () => {
            if (!isDone && !isOver) drop('it does not answer');
          });
          const isLostBefore = weather.shouldInject('redis: connection lost before the command');
          if (isLostBefore) {
            after(host, weather.latency(), () => drop('cut before a command arrived'));
            return;
          }
          const late = weather.shouldInject('redis: command late') ? 3_000 * weather.draw() : 0;
          arrival = Math.max(arrival, scheduler.now() + weather.latency() + late);
          const carriedOut = (): void => {
            if (!isUp || !isLinked()) return;
            if (command.name === 'wait') {
              awaitReplica(writes, scheduler.now() + command.ms, (replicas) => done(() => resolve(replicas)));
              return;
            }
            const execution = (): void => {
              try {
                const answer = carryOut(command);
                if (changes(command)) writes = log.length;
                done(() => resolve(answer));
              } catch (error) {
                if (!(error instanceof RedisError)) throw error;
                done(() => reject(error));
              }
              if (weather.shouldInject('redis: reply lost after the command')) drop('cut before a reply arrived');
            };
            if (command.name === 'xRead' && blockMs > 0 && execute(state, command, 0) === null)
              awaitEntries(blockMs, execution);
            else execution();
          };
          scheduler.at(arrival, carriedOut, server);
        });
      };
      /** It comes with the sign of life, which meets what a message may meet. */
      const readTime = (): Promise<ReadonlyArray<string>> =>
        new Promise((resolve, reject) => {
          pending.add(reject);
          const answer = (): void => {
            const reply = execute(state, { name: 'time' }, clockOf(server)) as ReadonlyArray<string>;
            after(host, 1, () => {
              if (pending.delete(reject)) resolve(reply);
            });
          };
          scheduler.at(scheduler.now() + 1, answer, server);
        });
      const client: RedisClient = {
        get isReady() {
          return isReady;
        },
        zAdd: (key, { score, value }, options) =>
          send({ name: 'zAdd', key, score, value, ifThere: options !== undefined }) as Promise<number>,
        zRem: (key, values) => send({ name: 'zRem', key, values }) as Promise<number>,
        zRangeWithScores: (key, min, max, { LIMIT: { count } }) =>
          send({ name: 'zRange', key, min, max, count }) as Promise<ReadonlyArray<{ value: string; score: number }>>,
        set: (key, value, { EX }) => send({ name: 'set', key, value, seconds: EX }),
        pTTL: (key) => send({ name: 'pTTL', key }) as Promise<number>,
        time: readTime,
        evalSha: (_, { keys: [stream = '', published = ''], arguments: given }) =>
          send({ name: 'append', keys: [stream, published], given }),
        eval: () => Promise.reject(new Error('the script is loaded')),
        wait: (_, ms) => send({ name: 'wait', ms }) as Promise<number>,
        xRead: ({ key, id }, { COUNT, BLOCK }) => send({ name: 'xRead', key, id, count: COUNT }, BLOCK),
        xInfoStream: (key) =>
          send({ name: 'xInfo', key }) as Promise<{ 'last-generated-id': string; 'entries-added': number }>,
      };
      isReady = isUp && isLinked();
      if (!isReady) drop('');
      return { client, drop };
    }
  };
  const awaitEntries = (ms: number, execution: () => void): void => {
    let isOver = false;
    const wake = (): void => {
      if (isOver) return;
      isOver = true;
      readers.delete(wake);
      execution();
    };
    readers.add(wake);
    scheduler.at(scheduler.now() + ms, wake, server);
  };
  const awaitReplica = (writes: number, until: number, answer: (replicas: number) => void): void => {
    if (replicated() >= writes) answer(1);
    else if (scheduler.now() >= until) answer(0);
    else scheduler.at(Math.min(until, scheduler.now() + 10), () => awaitReplica(writes, until, answer), server);
  };
  return redis;
};

/** The events in all streams, as `node sequenceId`. */
const eventsOf = ({ streams }: RedisState): ReadonlySet<string> =>
  new Set(
    [...streams.values()].flatMap(({ entries }) =>
      entries.map(({ message }) => `${message['aggregateId'] ?? ''} ${message['sequenceId'] ?? ''}`),
    ),
  );

/** The events that a command brings, as `node sequenceId`. */
const eventsIn = (command: RedisCommand): ReadonlyArray<string> => {
  if (command.name !== 'append') return [];
  const [node = '', , , count = ''] = command.given;
  const names = command.given.slice(4, 4 + Number(count));
  const of = names.indexOf('sequenceId');
  const events: string[] = [];
  for (let at = 4 + names.length; at < command.given.length; at += names.length)
    events.push(`${node} ${command.given[at + of] ?? ''}`);
  return events;
};

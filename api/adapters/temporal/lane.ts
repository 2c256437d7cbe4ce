import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import { jsonBytes } from '../../../workflows/domain/codecs';
import { GROUP_COMMANDS } from '../../../workflows/domain/limits';
import type { CommandName } from '../../../workflows/domain/node/command';
import type { GroupReceipt } from '../../../workflows/domain/node/hand-over';
import type { Refusal } from '../../../workflows/domain/rejections';
import type { Outage, Sent } from '../../ports';
import { sentOf } from './sent-of';
import { unwatched, type LaneWatch } from './watch-lanes';

/** Bytes of a group as JSON; a single command may have more. */
const GROUP_BYTES = 256 * 1_024;

/** So much earlier than its callers a group is given up, that what is known of its fate still reaches them. */
const VERDICT_MS = 100;

/** Seconds after which a node where too many calls wait is worth another try. */
const RETRY_AFTER = 1;

export interface GroupedCommand extends Readonly<Record<string, unknown>> {
  readonly name: CommandName;
}

/** What became of a group, and when the next one may go. */
export interface SentGroup {
  readonly answer: E.Either<Outage, GroupReceipt>;
  /** Ends when the group is no longer under way, and its events are in the stream or left to the node; never rejects. */
  readonly settled: Promise<void>;
}

/** Sends a group to a node; it never rejects. `until` (epoch ms) is when it is worth giving up. */
export type SendGroup = (nodeId: string, commands: ReadonlyArray<GroupedCommand>, until: number) => Promise<SentGroup>;

export interface LaneSettings {
  readonly sendGroup: SendGroup;
  readonly deadlineMs: number;
  /** The most calls that wait for one node. */
  readonly waitingCalls: number;
  readonly watch?: LaneWatch;
}

type Result = E.Either<Refusal | Outage, Sent>;

/** A call on its way: it is answered once, by the node or by its deadline, whichever comes first. */
interface Ticket {
  readonly command: GroupedCommand;
  readonly bytes: number;
  readonly until: number;
  /** By `performance.now()`. */
  readonly since: number;
  isSent: boolean;
  readonly answer: (result: Result) => void;
}

/**
 * The lanes of the nodes: at most one group of commands is under way to a node, and what arrives meanwhile waits in order and
 * goes with the next. So any number of callers cost a node one update at a time, and a server's limit of updates in flight
 * is never met (docs/reliability.md, "Lanes").
 *
 * Errors: Crowded where too many wait; Unavailable for a call that was not sent before its deadline, TimedOut for one that was.
 */
export const createLanes = (
  settings: LaneSettings,
): ((nodeId: string, command: GroupedCommand) => TE.TaskEither<Refusal | Outage, Sent>) => {
  const lanes = new Map<string, Ticket[]>();
  const watch = settings.watch ?? unwatched;
  const drive = async (nodeId: string, waiting: Ticket[]): Promise<void> => {
    while (waiting.length > 0) {
      const group = takeGroup(waiting);
      for (const ticket of group) ticket.isSent = true;
      const sentAt = performance.now();
      watch.waiting(-group.length);
      watch.sent(group.length, (sentAt - Math.min(...group.map(({ since }) => since))) / 1_000);
      const commands = group.map(({ command }) => command);
      const until = Math.max(...group.map((ticket) => ticket.until)) - Math.min(VERDICT_MS, settings.deadlineMs / 10);
      const { answer, settled } = await settings.sendGroup(nodeId, commands, until);
      watch.settled((performance.now() - sentAt) / 1_000, E.isRight(answer));
      group.forEach((ticket, index) => {
        ticket.answer(sentOf(answer, ticket.command.name, index));
      });
      await settled;
    }
    lanes.delete(nodeId);
  };
  return (nodeId, command) => () =>
    new Promise((resolve) => {
      const waiting = lanes.get(nodeId);
      if (waiting !== undefined && waiting.length >= settings.waitingCalls) {
        resolve(E.left({ _tag: 'Crowded', retryAfter: RETRY_AFTER }));
        return;
      }
      const lane = waiting ?? [];
      lane.push(
        ticketOf(command, settings.deadlineMs, resolve, (ticket) => {
          lane.splice(lane.indexOf(ticket), 1);
          watch.waiting(-1);
        }),
      );
      watch.waiting(1);
      if (waiting === undefined) {
        lanes.set(nodeId, lane);
        void drive(nodeId, lane);
      }
    });
};

const ticketOf = (
  command: GroupedCommand,
  deadlineMs: number,
  resolve: (result: Result) => void,
  leave: (ticket: Ticket) => void,
): Ticket => {
  const timer = setTimeout(() => {
    if (!ticket.isSent) leave(ticket);
    resolve(E.left(ticket.isSent ? { _tag: 'TimedOut' } : notSent));
  }, deadlineMs);
  const ticket: Ticket = {
    command,
    bytes: jsonBytes(command),
    until: Date.now() + deadlineMs,
    since: performance.now(),
    isSent: false,
    answer: (result) => {
      clearTimeout(timer);
      resolve(result);
    },
  };
  return ticket;
};

const notSent: Outage = { _tag: 'Unavailable', part: 'The node', retryAfter: RETRY_AFTER, mayHaveChanged: false };

/** Takes the first tickets of `waiting` out: at least one, and as many more as a group has room for. */
const takeGroup = (waiting: Ticket[]): ReadonlyArray<Ticket> => {
  let bytes = 0;
  let count = 0;
  for (const ticket of waiting.slice(0, GROUP_COMMANDS)) {
    bytes += ticket.bytes;
    if (count > 0 && bytes > GROUP_BYTES) break;
    count += 1;
  }
  return waiting.splice(0, count);
};

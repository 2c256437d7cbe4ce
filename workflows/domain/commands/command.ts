import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { decode, flag, text, type Codec, type Reason } from '../codecs';
import { digest } from '../digest';
import { REQUEST_ID_LENGTH } from '../limits';
import type { State } from '../node/state';
import { UserId } from '../user-id';
import { Cause } from './cause';
import type { DomainEvent } from './domain-event';
import type { Rejection } from './rejections';

/** What a node commits, or why it does not. */
export type Decision = E.Either<Rejection, ReadonlyArray<DomainEvent>>;

/** The caller of a command, the call behind it, and the time of the workflow task that takes it (epoch ms). */
export interface Sent {
  readonly userId: string;
  readonly cause?: Cause;
  readonly now: number;
}

/** A command as logs know it. */
export interface NamedCommand extends Sent {
  readonly name: string;
}

/** A command that was decoded, with what it does. */
export interface Command extends NamedCommand {
  /** The idempotency key: a text by which a repeat is known. */
  readonly requestId?: string;
  /** A digest of the request and its caller; only a write under an idempotency key has to know it. */
  readonly digest: () => string;
  readonly decide: (state: State) => Decision;
}

/** What the payload of every command holds: `required`, and `optional`, of which `keyed` stands in histories of early builds. */
export const required = { userId: UserId };
export const optional = { requestId: text(REQUEST_ID_LENGTH, 1), cause: Cause, keyed: flag };

interface Payload extends Omit<Sent, 'now'> {
  readonly requestId?: string;
}

/** What a command is, in one place. `P` is its decoded payload. */
interface Definition<P extends Payload> {
  /** What an operator reads beside its handlers in the Temporal UI. */
  readonly description: string;
  readonly payload: Codec<P>;
  /** The request without its caller: a repeat under the same idempotency key asks for the same. */
  readonly asks: (payload: P) => unknown;
  /** The member in which the payload may name the node. */
  readonly namesNode?: { readonly member: string; readonly in: (payload: P) => string | undefined };
  /**
   * What the command does. Pure: it runs twice for a live update, as validator and as handler, and once for a replay.
   * Errors: those of `Rejection` that its file names. Source: spec, "Effects of operations on the status".
   */
  readonly decide: (state: State, payload: P & Sent) => Decision;
}

/** A command as the node's one door knows it: updates and signals of anyone pass there. */
export interface CommandKind {
  readonly description: string;
  /** The command of `payload` to the node `nodeId` at the time `now` (epoch ms), or every fault found. */
  readonly decode: (
    nodeId: string,
    name: string,
    payload: unknown,
    now: number,
  ) => E.Either<ReadonlyArray<Reason>, Command>;
}

/** Binds a command's payload to its decision. */
export const defineCommand = <P extends Payload>({
  description,
  payload: codec,
  asks,
  namesNode,
  decide,
}: Definition<P>): CommandKind => ({
  description,
  decode: (nodeId, name, input, now) =>
    pipe(
      decode(codec, input),
      E.chain((payload) =>
        namesNode === undefined || (namesNode.in(payload) ?? nodeId) === nodeId
          ? E.right(payload)
          : E.left([{ name: namesNode.member, reason: `must be ${nodeId}` }]),
      ),
      E.map((payload) => {
        const { userId, requestId, cause } = payload;
        return {
          name,
          userId,
          ...(requestId !== undefined && { requestId }),
          ...(cause !== undefined && { cause }),
          now,
          digest: () => digest([name, userId, asks(payload)]),
          decide: (state) => decide(state, { ...payload, now }),
        };
      }),
    ),
});

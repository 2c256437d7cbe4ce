import * as E from 'fp-ts/Either';
import { decode, isRecord } from '../codecs';
import { GROUP_COMMANDS } from '../limits';
import { invalidCommand, type Refusal } from './commands';
import { SentBy } from './repeats';

/** The content of the update `applyCommands`: commands that a node applies in order, in one step, and facts from the sender. */
export interface CommandGroup {
  /** The commands are undecoded. Each is decoded on its own, so that a fault in one does not spoil the others. */
  readonly commands: ReadonlyArray<readonly [name: unknown, payload: unknown]>;
  /** The API process that sends the group, and the group's number there. */
  readonly sentBy?: SentBy | undefined;
  /**
   * Set from the second try on, if an earlier one may have reached the node. The first try, without this mark, may still arrive
   * and must do nothing then. So the node remembers the group even if nothing changed.
   */
  readonly mayHaveReached?: boolean;
  /** True if the sender publishes the node's events. The answer then holds all events that may not be in the stream yet. */
  readonly isRelayed?: boolean;
  /** Id of the node's last event that the sender saw in the stream. The node drops the events up to it from its outbox. */
  readonly published?: unknown;
  /** Whether the node writes its status to the search attribute from now on. Absent: as before. */
  readonly keepsStatusAttribute?: boolean | undefined;
}

/** Decodes `{commands, sentBy?: {sender, sequence}, mayHaveReached?, relay?: 'api', published?, keepsStatusAttribute?}`. */
export const decodeGroup = (payload: unknown): E.Either<Refusal, CommandGroup> => {
  const { commands, sentBy, mayHaveReached, relay, published, keepsStatusAttribute } = isRecord(payload) ? payload : {};
  if (!Array.isArray(commands) || commands.length > GROUP_COMMANDS)
    return refusedMember('commands', `must be an array of at most ${GROUP_COMMANDS} commands`);
  const sender = sentBy === undefined ? E.right(undefined) : decode(SentBy, sentBy);
  if (E.isLeft(sender)) return refusedMember('sentBy', 'must have a sender and a sequence');
  return E.right({
    commands: commands.map(namedPayload),
    sentBy: sender.right,
    mayHaveReached: mayHaveReached === true,
    isRelayed: relay === 'api',
    published,
    keepsStatusAttribute: typeof keepsStatusAttribute === 'boolean' ? keepsStatusAttribute : undefined,
  });
};

export const refusedMember = (name: string, reason: string): E.Either<Refusal, never> =>
  E.left(invalidCommand([{ name, reason }]));

const namedPayload = (entry: unknown): readonly [unknown, unknown] => {
  const { name, ...payload } = isRecord(entry) ? entry : { entry };
  return [name, payload];
};

import * as E from 'fp-ts/Either';
import { decode, isRecord } from '../codecs';
import { GROUP_COMMANDS } from '../limits';
import { invalidCommand, type Refusal } from './commands';
import { SentBy } from './repeats';

/** Commands that a node takes in order, as one step: those of one update of an API, or the one of an operator's update or signal. */
export interface Group {
  /** Undecoded: each is decoded on its own, so that one fault does not spoil the others. */
  readonly commands: ReadonlyArray<readonly [name: unknown, payload: unknown]>;
  /** The API process that sends the group, and the group's number there. */
  readonly sentBy?: SentBy | undefined;
  /** A try before this one, without this mark, may still come and must do nothing: the group is remembered, whatever it changed. */
  readonly mayHaveReached?: boolean;
  /** The sender publishes the events, and so gets all that are unconfirmed with the answer. */
  readonly isRelayed?: boolean;
  /** The last event of this node that the sender saw in the stream: that one and all before it are no longer kept. */
  readonly published?: unknown;
  /** Whether the node keeps its status in the search attribute from now on; absent: as before. */
  readonly keepsStatusAttribute?: boolean | undefined;
}

/** The group of `{commands, sentBy?: {sender, sequence}, mayHaveReached?, relay?: 'api', published?, keepsStatusAttribute?}`. */
export const decodeGroup = (payload: unknown): E.Either<Refusal, Group> => {
  const { commands, sentBy, mayHaveReached, relay, published, keepsStatusAttribute } = isRecord(payload) ? payload : {};
  if (!Array.isArray(commands) || commands.length > GROUP_COMMANDS)
    return refused('commands', `must be an array of at most ${GROUP_COMMANDS} commands`);
  const sender = sentBy === undefined ? E.right(undefined) : decode(SentBy, sentBy);
  if (E.isLeft(sender)) return refused('sentBy', 'must have a sender and a sequence');
  return E.right({
    commands: commands.map(namedPayload),
    sentBy: sender.right,
    mayHaveReached: mayHaveReached === true,
    isRelayed: relay === 'api',
    published,
    keepsStatusAttribute: typeof keepsStatusAttribute === 'boolean' ? keepsStatusAttribute : undefined,
  });
};

export const refused = (name: string, reason: string): E.Either<Refusal, never> =>
  E.left(invalidCommand([{ name, reason }]));

const namedPayload = (entry: unknown): readonly [unknown, unknown] => {
  const { name, ...payload } = isRecord(entry) ? entry : { entry };
  return [name, payload];
};

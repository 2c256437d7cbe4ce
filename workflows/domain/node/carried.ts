import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { decode, flag, object, refine, type Reason } from '../codecs';
import { carriedWrite } from './idempotency';
import { newNode, type Node } from './node';
import { Outbox } from './outbox';
import { State } from './state';

/** The argument of a run: what it was started with, and after continue-as-new the node. */
const argument = refine(object('node', {}, { state: State, outbox: Outbox, keepsStatusAttribute: flag }), (given) =>
  (given.state === undefined) === (given.outbox === undefined)
    ? []
    : [{ name: given.state === undefined ? 'state' : 'outbox', reason: 'is required by the other' }],
);

/** A node at the beginning of a run, and what its start asked for. */
export interface Begun {
  readonly node: Node;
  /** Whether it keeps its status in the search attribute; for ever, since each run carries it on. */
  readonly keepsStatusAttribute: boolean;
}

/** The argument of the run that follows (docs/upgrades.md, "What stays compatible"). */
export const carriedOn = ({ node: { state: known, outbox }, keepsStatusAttribute }: Begun): unknown => ({
  state: { ...known, writes: known.writes.map(carriedWrite) },
  outbox,
  ...(keepsStatusAttribute && { keepsStatusAttribute }),
});

/** The node `nodeId` as the argument of its run leaves it: empty where no run before carried it on. */
export const decodeArgument = (nodeId: string, input: unknown): E.Either<ReadonlyArray<Reason>, Begun> =>
  pipe(
    decode(argument, input ?? {}),
    E.map(({ state: known, outbox, keepsStatusAttribute = false }) => ({
      node: known === undefined || outbox === undefined ? newNode(nodeId) : { state: known, outbox },
      keepsStatusAttribute,
    })),
  );

import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Rejection } from '../commands/rejections';
import type { Considered } from '../commands/commands';
import { decide } from '../commands/decide';
import { type DomainEvent, evolve } from './evolve';
import { messagesOf, emptyOutbox, enqueue, hasRoom, identified, Outbox } from './outbox';
import { untouched, State } from './state';
import { decode, flag, object, refine, type Reason } from '../codecs';
import { carriedWrite } from './idempotency';
import type { Measurement } from '../measurement/measurement';
import { lineCount } from '../measurement/packed-lines';

/** A node: what it knows, and what it has still to publish. */
export interface Node {
  readonly state: State;
  readonly outbox: Outbox;
}

export const newNode = (nodeId: string): Node => ({ state: untouched(nodeId), outbox: emptyOutbox });

/** A node after commands, which they were, what was committed to get there, and the work that it took. */
export interface Accepted {
  readonly node: Node;
  readonly commands: ReadonlyArray<Considered>;
  readonly events: ReadonlyArray<DomainEvent>;
  readonly work: number;
}

/**
 * The node after `command`, its events in the outbox, or why it is refused.
 *
 * Errors: those of `decide`, and OutboxFull.
 */
export const accept = (node: Node, command: Considered): E.Either<Rejection, Accepted> =>
  pipe(
    decide(node.state, command),
    E.map((events) => {
      const after = events.reduce((before, event) => commit(before, event, command.now), node);
      return { node: after, commands: [command], events, work: workOf(node.state, after.state, events) };
    }),
    E.filterOrElse(
      (accepted) => accepted.node.outbox === node.outbox || hasRoom(accepted.node.outbox),
      (): Rejection => ({ _tag: 'OutboxFull', waiting: node.outbox.waiting.length }),
    ),
  );

const commit = ({ state, outbox }: Node, event: DomainEvent, now: number): Node => {
  const evolved = evolve(state, event);
  return messagesOf(evolved, event).reduce(
    (node, message) => {
      const numbered = identified(node.state, message, now);
      return { state: { ...node.state, sequenceId: numbered.sequenceId }, outbox: enqueue(node.outbox, numbered) };
    },
    { state: evolved, outbox },
  );
};

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

/**
 * How long a node works on a command, estimated in about microseconds of an idle core. Groups and runs are bounded by it, so it
 * reads no clock: a replay has to come to the same (docs/reliability.md, "Runs").
 */

/** Any command, a refused one too; and each band and HAL, which its event shows. */
export const COMMAND_WORK = 300;
const PART_WORK = 5;
/** A line: to take it in, and to rate it. */
const LINE_WORK = 0.1;
/** A HAL that is rated, and each line in which it is looked for. */
const HAL_WORK = 20;
const HAL_LINE_WORK = 0.005;

/** The work of a group after which it takes no more commands. */
export const GROUP_WORK = 50_000;

/** The work of one command, whose `events` led from the state `before` to the state `after`. */
const workOf = (before: State, after: State, events: ReadonlyArray<DomainEvent>): number => {
  const { bands = [], hals = [] } = after.parts;
  const [recorded] = events.flatMap((event) => (event._tag === 'MeasurementRecorded' ? [event.measurement] : []));
  // Parts that were not rated are the objects that they were.
  const isRated = after.parts.bands !== before.parts.bands || after.parts.hals !== before.parts.hals;
  const rated = isRated ? linesOf(recorded ?? after.latest.SPECTRUM) : 0;
  return (
    COMMAND_WORK +
    PART_WORK * (bands.length + hals.length) +
    LINE_WORK * (linesOf(recorded) + rated) +
    (rated > 0 ? hals.length * (HAL_WORK + HAL_LINE_WORK * rated) : 0)
  );
};

const linesOf = (measurement: Measurement | undefined): number =>
  measurement?.contentType !== 'SPECTRUM' || measurement.spectrum.lines === undefined
    ? 0
    : lineCount(measurement.spectrum.lines);

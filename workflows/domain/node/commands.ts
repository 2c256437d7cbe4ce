import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { Status } from '../alarm/status';
import * as c from '../codecs';
import { digest } from '../digest';
import { hardLimits, IDEMPOTENCY_KEY_LENGTH } from '../limits';
import { storedMeasurement } from '../measurement/measurement';
import { overallReadings } from '../rating/overall-regions';
import { SoughtBearing, type BearingName } from '../rating/vibration/bearings/bearing';
import { patchOperations } from '../threshold/patch';
import { precondition } from '../threshold/precondition';
import { thresholdInput } from '../threshold/threshold';
import { Cause } from './cause';

const required = { userId: c.UserId };
const optional = { idempotencyKey: c.text(IDEMPOTENCY_KEY_LENGTH, 1), cause: Cause };

/**
 * For commands that set a threshold. Without `reading` (how to read overall regions) the node keeps its present reading.
 * `bearings` were looked up by the API; without them the node keeps those that it has.
 */
const ofSetting = {
  ...optional,
  ...precondition,
  reading: c.oneOf('reading of overall regions', overallReadings),
  bearings: c.array(SoughtBearing, hardLimits.hals),
};

/** The limits that the API applied when it took the patch. The limits of every node apply as well. */
const limits = c.partial('limits', {
  choices: c.wholeNumber,
  bands: c.wholeNumber,
  hals: c.wholeNumber,
  textLength: c.wholeNumber,
});

const measured = c.object('recordMeasurement', { ...required, measurement: storedMeasurement }, optional);

/** The commands of a node, by the names of their updates and signals. Operators read the descriptions in the Temporal UI. */
export const commands = {
  setThreshold: {
    description:
      'Sets the threshold: {"threshold": {...}, "userId": "..."}; optional ifMatch and ifNoneMatch (revisions; 0: never set), idempotencyKey.',
    payload: c.object('setThreshold', { ...required, threshold: thresholdInput(hardLimits) }, ofSetting),
  },
  patchThreshold: {
    description:
      'Patches the threshold: {"operations": [RFC 6902 operations], "userId": "..."}; optional ifMatch, ifNoneMatch, idempotencyKey.',
    payload: c.object('patchThreshold', { ...required, operations: patchOperations() }, { ...ofSetting, limits }),
  },
  recordMeasurement: {
    description: 'Rates a measurement: {"measurement": {...}, "userId": "..."}; optional idempotencyKey.',
    payload: c.mapped(measured, ({ measurement: { nodeId, ...measurement }, ...about }) => ({
      ...about,
      ...(nodeId !== undefined && { nodeId }),
      measurement,
      measurementDigest: digest(measurement),
    })),
  },
  recalculate: {
    description: 'Rates the latest measurements again: {"userId": "..."}; optional idempotencyKey.',
    payload: c.object('recalculate', required, optional),
  },
  setExternalAlarm: {
    description: 'Sets the external alarm: {"status": 0..4, "userId": "..."}; optional setBy (UUID), idempotencyKey.',
    payload: c.object('setExternalAlarm', { ...required, status: Status }, { ...optional, setBy: c.uuid }),
  },
  republish: {
    description: 'Publishes the present threshold and status again: {"userId": "..."}; optional idempotencyKey.',
    payload: c.object('republish', required, optional),
  },
};

export type CommandName = keyof typeof commands;

export const isCommandName = (name: unknown): name is CommandName =>
  typeof name === 'string' && Object.hasOwn(commands, name);

export const commandNames: ReadonlyArray<CommandName> = Object.keys(commands).filter(isCommandName);

type Decoded<Name extends CommandName = CommandName> = {
  [N in Name]: { readonly name: N } & c.TypeOf<(typeof commands)[N]['payload']>;
}[Name];

export type Command =
  | Decoded<Exclude<CommandName, 'recordMeasurement'>>
  | ({ readonly name: 'recordMeasurement' } & c.TypeOf<typeof measured>);

/** A decoded command, with the time of the workflow task (epoch ms). */
export type TimedCommand<Name extends CommandName = CommandName> = Decoded<Name> & { readonly now: number };

/** Decodes `payload` as the command `name` for the node `nodeId` at the time `now` (epoch ms), or lists every fault found. */
export const decodeCommand = (
  nodeId: string,
  name: CommandName,
  payload: unknown,
  now: number,
): E.Either<Refusal, TimedCommand> =>
  pipe(
    c.decode<object>(commands[name].payload, payload),
    E.map((decoded) => ({ ...decoded, name, now }) as TimedCommand), // `commands[name]` decodes just this type
    E.filterOrElseW(
      (command) => [undefined, nodeId].includes(nodeNamedBy(command)),
      () => [
        { name: name === 'setThreshold' ? 'threshold.nodeId' : 'measurement.nodeId', reason: `must be ${nodeId}` },
      ],
    ),
    E.mapLeft(invalidCommand),
  );

const nodeNamedBy = (command: TimedCommand): string | undefined => {
  if (command.name === 'setThreshold') return command.threshold.nodeId;
  return command.name === 'recordMeasurement' ? command.nodeId : undefined;
};

/**
 * Why a node does not carry out a command. `Unchanged` is a success: there was nothing to do, or the command was carried out
 * before. It has the threshold's revision; for a repeat, the revision after the first try. A `Refusal` is a failure.
 */
export type NotApplied = Refusal | { readonly _tag: 'Unchanged'; readonly revision: number };
export type Refusal =
  | { readonly _tag: 'InvalidCommand'; readonly reasons: c.Reasons }
  | { readonly _tag: 'PatchConflict'; readonly reasons: c.Reasons }
  | { readonly _tag: 'IdempotencyConflict'; readonly reasons: c.Reasons }
  | { readonly _tag: 'PreconditionFailed'; readonly revision: number }
  | { readonly _tag: 'OutboxFull'; readonly waiting: number }
  | { readonly _tag: 'BearingsNeeded'; readonly bearings: ReadonlyArray<BearingName> }
  /** The command threw: a defect of this release. */
  | { readonly _tag: 'Defect'; readonly reason: string };

export const unchanged = (revision: number): NotApplied => ({ _tag: 'Unchanged', revision });

export const invalidCommand = (reasons: c.Reasons): Refusal => ({ _tag: 'InvalidCommand', reasons });

export const patchConflict = (reasons: c.Reasons): Refusal => ({ _tag: 'PatchConflict', reasons });

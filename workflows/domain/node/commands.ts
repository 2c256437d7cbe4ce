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

/** `reading`: of overall regions, else the node keeps its own. `bearings`: those that were looked for, else what was found before. */
const ofSetting = {
  ...optional,
  ...precondition,
  reading: c.oneOf('reading of overall regions', overallReadings),
  bearings: c.array(SoughtBearing, hardLimits.hals),
};

/** The limits of the API that took a patch; those of every node hold beside them. */
const limits = c.partial('limits', {
  choices: c.wholeNumber,
  bands: c.wholeNumber,
  hals: c.wholeNumber,
  textLength: c.wholeNumber,
});

const measured = c.object('recordMeasurement', { ...required, measurement: storedMeasurement }, optional);

/** What a node takes, by the name of its update and its signal. The description is what an operator reads in the Temporal UI. */
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

/** A command that a node considers, at the time of the workflow task (epoch ms). */
export type Considered<Name extends CommandName = CommandName> = Decoded<Name> & { readonly now: number };

/** The command `name` of `payload` at the time `now` (epoch ms) for the node `nodeId`, or every fault found. */
export const decodeCommand = (
  nodeId: string,
  name: CommandName,
  payload: unknown,
  now: number,
): E.Either<Refusal, Considered> =>
  pipe(
    c.decode<object>(commands[name].payload, payload),
    E.map((decoded) => ({ ...decoded, name, now }) as Considered), // by the codec of the name
    E.filterOrElseW(
      (command) => [undefined, nodeId].includes(nodeNamedBy(command)),
      () => [
        { name: name === 'setThreshold' ? 'threshold.nodeId' : 'measurement.nodeId', reason: `must be ${nodeId}` },
      ],
    ),
    E.mapLeft(invalidCommand),
  );

const nodeNamedBy = (command: Considered): string | undefined => {
  if (command.name === 'setThreshold') return command.threshold.nodeId;
  return command.name === 'recordMeasurement' ? command.nodeId : undefined;
};

/**
 * Why a node does not carry out a command. `Unchanged` is a success: there was nothing to do, or it was done before. Its revision is
 * the threshold's, of a repeat the one that the first write left. The rest are refusals.
 */
export type Rejection = Refusal | { readonly _tag: 'Unchanged'; readonly revision: number };
export type Refusal =
  | { readonly _tag: 'InvalidCommand'; readonly reasons: c.Reasons }
  | { readonly _tag: 'PatchConflict'; readonly reasons: c.Reasons }
  | { readonly _tag: 'IdempotencyConflict'; readonly reasons: c.Reasons }
  | { readonly _tag: 'PreconditionFailed'; readonly revision: number }
  | { readonly _tag: 'OutboxFull'; readonly waiting: number }
  | { readonly _tag: 'BearingsNeeded'; readonly bearings: ReadonlyArray<BearingName> }
  /** The command threw: a defect of this release. */
  | { readonly _tag: 'Defect'; readonly reason: string };

export const unchanged = (revision: number): Rejection => ({ _tag: 'Unchanged', revision });

export const invalidCommand = (reasons: c.Reasons): Refusal => ({ _tag: 'InvalidCommand', reasons });

export const patchConflict = (reasons: c.Reasons): Refusal => ({ _tag: 'PatchConflict', reasons });

import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as t from 'io-ts';
import {
  array,
  codec,
  decode,
  fault,
  flag,
  mapped,
  object,
  oneOf,
  text,
  uuid,
  type Codec,
  type Reason,
} from '../codecs';
import { digest } from '../digest';
import { hardLimits, REQUEST_ID_LENGTH, REVISIONS, USER_ID_LENGTH } from '../limits';
import { storedMeasurement } from '../measurement/measurement';
import { patchOperations } from '../threshold/patch/operations';
import { overallReadings } from '../rating/overall-regions';
import { invalidCommand, type Refusal } from './rejections';
import { Status } from '../alarm/status';
import { thresholdInput } from '../threshold/threshold';
import { SoughtBearing } from '../rating/vibration/bearings/resolved-bearing';
import { Cause } from './cause';
import { commandNames, type Command, type CommandName } from './command';

const PRINTABLE = /^\P{C}+$/u;

/** Who calls: 1 to 256 printable characters. */
export const UserId: Codec<string> = codec(
  'user id',
  { type: 'string', minLength: 1, maxLength: USER_ID_LENGTH },
  (input, context) =>
    typeof input === 'string' && input.length <= USER_ID_LENGTH && PRINTABLE.test(input)
      ? t.success(input)
      : t.failures([fault(input, context, `must be text of 1 to ${USER_ID_LENGTH} printable characters`)]),
);

const revision: Codec<number> = codec('revision', { type: 'integer', minimum: 0 }, (input, context) =>
  Number.isSafeInteger(input) && Number(input) >= 0
    ? t.success(Number(input))
    : t.failures([fault(input, context, 'must be a revision: an integer from 0')]),
);
const someRevisions = array(revision, REVISIONS);
const revisions: Codec<ReadonlyArray<number>> = codec('revisions', {}, (input, context) =>
  Array.isArray(input)
    ? someRevisions.validate(input, context)
    : mapped(revision, (one) => [one]).validate(input, context),
);

/** `keyed` stands in histories of the first builds; a reset applies what they hold again. */
const about = { requestId: text(REQUEST_ID_LENGTH, 1), cause: Cause, keyed: flag };
const setting = {
  ...about,
  ifMatch: revisions,
  reading: oneOf('reading of overall regions', overallReadings),
  bearings: array(SoughtBearing, hardLimits.hals),
};

/** What the payload of each command holds. The one door to a node: updates and signals of anyone pass here. */
const payloads = {
  setThreshold: object('setThreshold', { userId: UserId, threshold: thresholdInput(hardLimits) }, setting),
  patchThreshold: object('patchThreshold', { userId: UserId, operations: patchOperations() }, setting),
  recordMeasurement: object('recordMeasurement', { userId: UserId, measurement: storedMeasurement }, about),
  recalculate: object('recalculate', { userId: UserId }, about),
  setExternalAlarm: object('setExternalAlarm', { userId: UserId, status: Status }, { ...about, setBy: uuid }),
} satisfies Record<CommandName, unknown>;

export const isCommandName = (name: unknown): name is CommandName => commandNames.some((known) => known === name);

/** The command `name` of `payload` at the time `now` (epoch ms) for the node `nodeId`, or every fault found. */
export const decodeCommand = (
  nodeId: string,
  name: CommandName,
  payload: unknown,
  now: number,
): E.Either<Refusal, Command> =>
  pipe(
    ofPayload(name, payload, now),
    E.filterOrElse(
      (command) => (namedNode(command) ?? nodeId) === nodeId,
      (command): ReadonlyArray<Reason> => [{ name: `${contentName(command)}nodeId`, reason: `must be ${nodeId}` }],
    ),
    E.mapLeft(invalidCommand),
  );

const ofPayload = (name: CommandName, payload: unknown, now: number): E.Either<ReadonlyArray<Reason>, Command> => {
  switch (name) {
    case 'setThreshold':
      return pipe(
        decode(payloads.setThreshold, payload),
        E.map((given) => ({ _tag: name, ...given, now, digest: requestDigest(name, given.userId, given.threshold) })),
      );
    case 'patchThreshold':
      return pipe(
        decode(payloads.patchThreshold, payload),
        E.map((given) => ({ _tag: name, ...given, now, digest: requestDigest(name, given.userId, given.operations) })),
      );
    case 'recordMeasurement':
      return pipe(
        decode(payloads.recordMeasurement, payload),
        E.map((given) => {
          const { nodeId: _, ...measurement } = given.measurement;
          const measurementDigest = digest(measurement);
          const asked = requestDigest(name, given.userId, measurementDigest);
          return { _tag: name, ...given, now, measurementDigest, digest: asked };
        }),
      );
    case 'recalculate':
      return pipe(
        decode(payloads.recalculate, payload),
        E.map((given) => ({ _tag: name, ...given, now, digest: requestDigest(name, given.userId, {}) })),
      );
    case 'setExternalAlarm':
      return pipe(
        decode(payloads.setExternalAlarm, payload),
        E.map((given) => {
          const asked = requestDigest(name, given.userId, [given.status, given.setBy ?? null]);
          return { _tag: name, ...given, now, digest: asked };
        }),
      );
  }
};

const requestDigest = (name: CommandName, userId: string, content: unknown): string => digest([name, userId, content]);

const namedNode = (command: Command): string | undefined => {
  if (command._tag === 'setThreshold') return command.threshold.nodeId;
  return command._tag === 'recordMeasurement' ? command.measurement.nodeId : undefined;
};

const contentName = (command: Command): string => (command._tag === 'setThreshold' ? 'threshold.' : 'measurement.');

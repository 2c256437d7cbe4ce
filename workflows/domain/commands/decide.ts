import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { digest } from '../digest';
import { alarmsDiffer, type ExternalPart, type Parts } from '../alarm/parts';
import { patchThreshold } from '../threshold/patch/patch-threshold';
import { rate, rateMeasurement } from '../rating/rate';
import { unchanged, type Rejection } from './rejections';
import type { Origin, Threshold } from '../threshold/threshold';
import { bearingNamesOf, isNamedLike, isResolved } from '../rating/vibration/bearings/seek-bearings';
import type { SoughtBearing } from '../rating/vibration/bearings/resolved-bearing';
import type { Command } from './command';
import type { DomainEvent, Origination } from './domain-event';
import { isStatusUpdate, type State } from '../node/state';

type Decision = E.Either<Rejection, ReadonlyArray<DomainEvent>>;
type Of<Tag extends Command['_tag']> = Extract<Command, { readonly _tag: Tag }>;

/**
 * What `command` does to a node: the events to commit, or why it is refused; `Unchanged` when there is nothing to do.
 *
 * Pure:   the clock comes in as `command.now`. A live update runs it twice, as validator and as handler, a replay once.
 * Errors: Unchanged, PatchConflict, PreconditionFailed, IdempotencyConflict, BearingsNeeded. Shapes are the decoder's business.
 * Source: spec, "Effects of operations on the status"; docs/decisions.md, "repeats".
 */
export const decide = (state: State, command: Command): Decision => {
  const { requestId, digest: request, now: at } = command;
  if (requestId === undefined) return decideAnew(state, command);
  const key = digest(requestId);
  const known = state.writes.find((write) => write.key === key);
  if (known !== undefined) return E.left(known.request === request ? unchanged(known.revision) : idempotencyConflict);
  return pipe(
    decideAnew(state, command),
    E.orElse((rejection) => (rejection._tag === 'Unchanged' ? E.right([]) : E.left(rejection))),
    E.map((events) => [...events, { _tag: 'WriteKeyed', write: { key, request, at } }]),
  );
};

const idempotencyConflict: Rejection = {
  _tag: 'IdempotencyConflict',
  reasons: [{ name: 'Idempotency-Key', reason: 'was used for another request to this node' }],
};

const decideAnew = (state: State, command: Command): Decision => {
  switch (command._tag) {
    case 'setThreshold': {
      const { nodeId: _, origin, ...threshold } = command.threshold;
      return pipe(
        atRevision(state, command),
        E.map(() => replaceThreshold(state, threshold, command, origin)),
      );
    }
    case 'patchThreshold':
      return pipe(
        atRevision(state, command),
        E.chain(() => patchThreshold(state.nodeId, state.threshold, command.operations)),
        E.filterOrElse(
          (patched) => digest(patched) !== digest(state.threshold),
          () => unchanged(state.revision),
        ),
        E.chainFirst((patched) => wereSought(patched, command.bearings)),
        E.map((patched) => replaceThreshold(state, patched, command)),
      );
    case 'recordMeasurement':
      return isRepeat(state, command) ? E.left(unchanged(state.revision)) : E.right(recordMeasurement(state, command));
    case 'recalculate': {
      const events = updateStatus(state, { ...rate(state, state.latest), ...external(state.parts) }, command);
      return events.length === 0 ? E.left(unchanged(state.revision)) : E.right([{ _tag: 'RatedAnew' }, ...events]);
    }
    case 'setExternalAlarm':
      return E.right(updateStatus(state, { ...state.parts, external: externalPart(command) }, command));
  }
};

const atRevision = (
  { revision }: State,
  { ifMatch }: Of<'setThreshold'> | Of<'patchThreshold'>,
): E.Either<Rejection, void> =>
  ifMatch === undefined || ifMatch.includes(revision)
    ? E.right(undefined)
    : E.left({ _tag: 'PreconditionFailed', revision });

const replaceThreshold = (
  state: State,
  threshold: Threshold,
  command: Of<'setThreshold'> | Of<'patchThreshold'>,
  origin?: Origin,
): ReadonlyArray<DomainEvent> => {
  const reading = command.reading ?? state.reading;
  const bearings = command.bearings === undefined ? state.bearings : command.bearings.filter(isResolved);
  const parts = { ...rate({ threshold, reading, bearings }, state.latest), ...external(state.parts) };
  return [
    {
      _tag: 'ThresholdSet',
      threshold,
      reading,
      bearings,
      ...(origin !== undefined && { origin }),
      ...origination(state, command),
    },
    ...updateStatus(state, parts, command),
  ];
};

const recordMeasurement = (state: State, command: Of<'recordMeasurement'>): ReadonlyArray<DomainEvent> => {
  const { nodeId: _, ...measurement } = command.measurement;
  return [
    { _tag: 'MeasurementRecorded', measurement, digest: command.measurementDigest },
    ...updateStatus(state, { ...state.parts, ...rateMeasurement(state, measurement) }, command),
  ];
};

/** The measurement that rated its parts last, again: same id and same content. */
const isRepeat = (
  { applied, threshold }: State,
  { measurement: { measurementId, contentType, rateOfChange }, measurementDigest }: Of<'recordMeasurement'>,
): boolean => {
  const rates = rateOfChange === undefined || threshold.rateOfChange === undefined ? [] : [applied.rateOfChange];
  return [applied[contentType], ...rates].every(
    (last) => last?.measurementId === measurementId && last.digest === measurementDigest,
  );
};

/** A bearing's orders are looked up outside of the node, which has to come to the same result whenever it is replayed. */
const wereSought = (
  threshold: Threshold,
  sought: ReadonlyArray<SoughtBearing> | undefined,
): E.Either<Rejection, void> => {
  const named = bearingNamesOf(threshold);
  return sought === undefined || named.every((bearing) => sought.some(isNamedLike(bearing)))
    ? E.right(undefined)
    : E.left({ _tag: 'BearingsNeeded', bearings: named });
};

const updateStatus = (state: State, parts: Parts, command: Command): ReadonlyArray<DomainEvent> =>
  isStatusUpdate(state.parts, parts)
    ? [
        {
          _tag: 'StatusUpdated',
          parts,
          alarmsChanged: alarmsDiffer(state.parts, parts),
          ...origination(state, command),
        },
      ]
    : [];

/** An external alarm outlives every recalculation. */
const external = (parts: Parts): Pick<Parts, 'external'> =>
  parts.external === undefined ? {} : { external: parts.external };

const externalPart = ({ status, setBy }: Of<'setExternalAlarm'>): ExternalPart =>
  setBy === undefined ? { status } : { status, setBy };

const origination = ({ updatedAt }: State, { userId, cause, now }: Command): Origination => ({
  userId,
  ...(cause?.requestId !== undefined && { requestId: cause.requestId }),
  updatedAt: Math.max(updatedAt, now), // whatever the clock does
});

import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { alarmsDiffer, hasParts, type Parts } from '../alarm/parts';
import { decode } from '../codecs';
import { digest } from '../digest';
import { hardLimits } from '../limits';
import type { Measurement } from '../measurement/measurement';
import type { Attribution, DomainEvent } from './evolve';
import { knownWrite } from './repeats';
import type { State } from './state';
import { rate, rateMeasurement } from '../rating/rate';
import { bandRules, halRules, type SpectrumParts } from '../rating/rate-spectrum';
import { ratingRules, type RatingRules } from '../rating/rating-rules';
import { bearingNamesOf, isNamedLike, isResolved } from '../rating/vibration/bearings/bearing-lookup';
import { applyPatch } from '../threshold/patch';
import { isPreconditionMet } from '../threshold/precondition';
import { thresholdInput, thresholdView, type Origin, type Threshold } from '../threshold/threshold';
import { type TimedCommand, patchConflict, unchanged, type NotApplied } from './commands';

type Events = ReadonlyArray<DomainEvent>;
type Decision = E.Either<NotApplied, Events>;

/**
 * Decides on `command`: returns the events to commit, or why it is refused. `Unchanged` means nothing to do, as for a repeat
 * under an idempotency key. The first write under a key is remembered, even without a change, unless it is refused.
 *
 * Source: spec, "Effects of operations on the status"; docs/contributing/decisions.md, "repeats".
 */
export const decide = (state: State, command: TimedCommand): Decision => {
  const { idempotencyKey, name, userId, now: at } = command;
  if (idempotencyKey === undefined) return decideAnew(state, command);
  const [key, request] = [digest(idempotencyKey), digest([name, userId, contentOf(command)])];
  const known = knownWrite(state.writes, key);
  if (known !== undefined) return E.left(known.request === request ? unchanged(known.revision) : idempotencyConflict);
  return pipe(
    decideAnew(state, command),
    E.orElse((rejection) => (rejection._tag === 'Unchanged' ? E.right([]) : E.left(rejection))),
    E.map((events) => [...events, { _tag: 'WriteKeyed', write: { key, request, at } }]),
  );
};

const idempotencyConflict: NotApplied = {
  _tag: 'IdempotencyConflict',
  reasons: [{ name: 'Idempotency-Key', reason: 'was used for another request to this node' }],
};

/** What a command asks for, without its caller. A repeat under the same idempotency key must have the same content. */
const contentOf = (command: TimedCommand): unknown => {
  switch (command.name) {
    case 'setThreshold':
      return command.threshold;
    case 'patchThreshold':
      return command.operations;
    case 'recordMeasurement':
      return command.measurementDigest;
    case 'setExternalAlarm':
      return [command.status, command.setBy ?? null];
    case 'recalculate':
    case 'republish':
      return {};
  }
};

const decideAnew = (state: State, command: TimedCommand): Decision => {
  switch (command.name) {
    case 'setThreshold':
      return setThreshold(state, command);
    case 'patchThreshold':
      return patchThreshold(state, command);
    case 'recordMeasurement':
      return recordMeasurement(state, command);
    case 'recalculate': {
      const events = updateStatus(state, rateAnew(state), command);
      return events.length === 0 ? E.left(unchanged(state.revision)) : E.right([{ _tag: 'RatedAnew' }, ...events]);
    }
    case 'setExternalAlarm': {
      const { status, setBy } = command;
      const external = setBy === undefined ? { status } : { status, setBy };
      return E.right(updateStatus(state, { ...state.parts, external }, command));
    }
    case 'republish':
      return state.updatedAt === 0
        ? E.left(unchanged(state.revision))
        : E.right([{ _tag: 'Republished', ...attributionOf(state, command) }]);
  }
};

type Setting = TimedCommand<'setThreshold' | 'patchThreshold'>;

const setThreshold = (state: State, command: TimedCommand<'setThreshold'>): Decision => {
  const { nodeId: _, origin, ...threshold } = command.threshold;
  return E.map(() => replaceThreshold(state, threshold, command, origin))(atRevision(state, command));
};

const patchThreshold = (state: State, command: TimedCommand<'patchThreshold'>): Decision =>
  pipe(
    atRevision(state, command),
    E.chainW(() => pipe(applyPatch(state.nodeId, state.threshold, command.operations), E.mapLeft(patchConflict))),
    E.filterOrElse(
      (threshold) => digest(threshold) !== digest(state.threshold),
      (): NotApplied => unchanged(state.revision),
    ),
    E.chainFirst((threshold) => isWithin(command.limits, thresholdView(state.nodeId, threshold))),
    E.filterOrElse(
      (threshold) => wereSought(threshold, command.bearings),
      (threshold): NotApplied => ({ _tag: 'BearingsNeeded', bearings: bearingNamesOf(threshold) }),
    ),
    E.map((threshold) => replaceThreshold(state, threshold, command)),
  );

/** Refuses the command if the caller's precondition does not hold. */
const atRevision = ({ revision: at }: State, setting: Setting): E.Either<NotApplied, void> =>
  isPreconditionMet(setting, at) ? E.right(undefined) : E.left({ _tag: 'PreconditionFailed', revision: at });

/** A patched threshold must keep the limits that the API lowered, just as a threshold sent by PUT must. */
const isWithin = (
  lowered: TimedCommand<'patchThreshold'>['limits'],
  patched: unknown,
): E.Either<NotApplied, unknown> =>
  lowered === undefined
    ? E.right(patched)
    : E.mapLeft(patchConflict)(decode(thresholdInput({ ...hardLimits, ...lowered }), patched));

/** False if the API looked up bearings, but not all of `threshold`. The node looks up none, because a replay could differ. */
const wereSought = (threshold: Threshold, sought: Setting['bearings']): boolean =>
  sought === undefined || bearingNamesOf(threshold).every((bearing) => sought.some(isNamedLike(bearing)));

/** Sets `threshold`, and rates the newest measurements again with it. */
const replaceThreshold = (state: State, threshold: Threshold, setting: Setting, origin?: Origin): Events => {
  const { reading = state.reading } = setting;
  const names = bearingNamesOf(threshold);
  const found = setting.bearings?.filter(isResolved) ?? state.bearings;
  const bearings = found.filter((bearing) => names.some(isNamedLike(bearing)));
  const rules = ratingRules(threshold, { reading, bearings });
  return [
    { _tag: 'ThresholdSet', rules, ...(origin !== undefined && { origin }), ...attributionOf(state, setting) },
    ...updateStatus(state, rateAnew(state, rules), setting),
  ];
};

const recordMeasurement = (state: State, command: TimedCommand<'recordMeasurement'>): Decision => {
  const { measurement, measurementDigest } = command;
  if (isRepeat(state, measurement, measurementDigest)) return E.left(unchanged(state.revision));
  const { updatedAt: arrivedAt } = attributionOf(state, command);
  return E.right([
    { _tag: 'MeasurementRecorded', measurement, digest: measurementDigest, arrivedAt },
    ...updateStatus(state, { ...state.parts, ...rateMeasurement(state, measurement) }, command, measurement),
  ]);
};

/** Whether the parts that a measurement rates were last rated by the same measurement: same id and same content. */
const isRepeat = (
  { applied, threshold }: State,
  { measurementId, contentType, rateOfChange }: Measurement,
  measurementDigest: string,
): boolean => {
  const rates = rateOfChange === undefined || threshold.rateOfChange === undefined ? [] : [applied.rateOfChange];
  return [applied[contentType], ...rates].every(
    (last) => last?.measurementId === measurementId && last.digest === measurementDigest,
  );
};

/** Rates the newest measurements again, by `rules`. The external alarm stays, because no measurement sets it. */
const rateAnew = (state: State, rules: RatingRules = state): Parts => {
  const { external } = state.parts;
  return { ...rate(rules, state.latest, heldParts(state, rules)), ...(external !== undefined && { external }) };
};

/**
 * Results of bands and HALs that stay valid because their rules and the spectrum have not changed. To rate these parts again
 * would take a hundred times as long as all others. Results also depend on the release, so they must be from this run: only in
 * the run that rated are `applied.SPECTRUM` and `newest.SPECTRUM` the same object. Continue-as-new makes two objects of it.
 */
const heldParts = (state: State, rules: RatingRules): SpectrumParts => {
  const { applied, newest, parts } = state;
  if (newest.SPECTRUM === undefined || applied.SPECTRUM !== newest.SPECTRUM) return {};
  const isHeld = (rulesOf: typeof bandRules): boolean => rules === state || rulesOf(rules) === rulesOf(state);
  return {
    ...(parts.bands !== undefined && isHeld(bandRules) && { bands: parts.bands }),
    ...(parts.hals !== undefined && isHeld(halRules) && { hals: parts.hals }),
  };
};

/** The event that sets the node's alarms to `parts`. None if the node had no alarms and gets none, and so has no status. */
const updateStatus = (
  state: State,
  parts: Parts,
  command: TimedCommand,
  by?: Pick<Measurement, 'measurementId'>,
): Events => {
  if (!hasParts(state.parts) && !hasParts(parts)) return [];
  const alarmsChanged = alarmsDiffer(state.parts, parts);
  const measured = by && { measurementId: by.measurementId };
  return [{ _tag: 'StatusUpdated', parts, alarmsChanged, ...measured, ...attributionOf(state, command) }];
};

/** The user, the call and the time of an event: never a time before the node's last change, whatever the clock does. */
const attributionOf = ({ updatedAt }: State, { userId, cause, now }: TimedCommand): Attribution => ({
  userId,
  ...(cause?.requestId !== undefined && { requestId: cause.requestId }),
  updatedAt: Math.max(updatedAt, now),
});

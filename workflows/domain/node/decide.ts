import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { alarmsDiffer, hasParts, type Parts } from '../alarm/parts';
import { decode } from '../codecs';
import { digest } from '../digest';
import { hardLimits } from '../limits';
import type { Measurement } from '../measurement/measurement';
import type { Attribution, DomainEvent } from './evolve';
import type { State } from './state';
import { rate, rateMeasurement } from '../rating/rate';
import { spectrumRules, type SpectrumParts } from '../rating/rate-spectrum';
import { ratingRules, type RatingRules } from '../rating/rating-rules';
import { bearingNamesOf, isNamedLike, isResolved } from '../rating/vibration/bearings/bearing-lookup';
import { applyPatch } from '../threshold/patch';
import { holds } from '../threshold/precondition';
import { thresholdInput, thresholdView, type Origin, type Threshold } from '../threshold/threshold';
import { type Considered, patchConflict, unchanged, type Rejection } from './commands';

type Events = ReadonlyArray<DomainEvent>;
type Decision = E.Either<Rejection, Events>;

/**
 * What `command` does to a node: the events to commit, or why it is refused; `Unchanged` when there is nothing to do, as for a
 * repeat under an idempotency key. The first write under one is remembered, whatever it changed, unless it is refused.
 *
 * Source: spec, "Effects of operations on the status"; docs/contributing/decisions.md, "repeats".
 */
export const decide = (state: State, command: Considered): Decision => {
  const { idempotencyKey, name, userId, now: at } = command;
  if (idempotencyKey === undefined) return decideAnew(state, command);
  const [key, request] = [digest(idempotencyKey), digest([name, userId, contentOf(command)])];
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

/** The request without its caller: a repeat under the same idempotency key asks for the same. */
const contentOf = (command: Considered): unknown => {
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

const decideAnew = (state: State, command: Considered): Decision => {
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

type Setting = Considered<'setThreshold' | 'patchThreshold'>;

const setThreshold = (state: State, command: Considered<'setThreshold'>): Decision => {
  const { nodeId: _, origin, ...threshold } = command.threshold;
  return E.map(() => replaceThreshold(state, threshold, command, origin))(atRevision(state, command));
};

const patchThreshold = (state: State, command: Considered<'patchThreshold'>): Decision =>
  pipe(
    atRevision(state, command),
    E.chainW(() => pipe(applyPatch(state.nodeId, state.threshold, command.operations), E.mapLeft(patchConflict))),
    E.filterOrElse(
      (threshold) => digest(threshold) !== digest(state.threshold),
      (): Rejection => unchanged(state.revision),
    ),
    E.chainFirst((threshold) => isWithin(command.limits, thresholdView(state.nodeId, threshold))),
    E.filterOrElse(
      (threshold) => wereSought(threshold, command.bearings),
      (threshold): Rejection => ({ _tag: 'BearingsNeeded', bearings: bearingNamesOf(threshold) }),
    ),
    E.map((threshold) => replaceThreshold(state, threshold, command)),
  );

/** Nothing, where the caller's precondition holds. */
const atRevision = ({ revision: at }: State, setting: Setting): E.Either<Rejection, void> =>
  holds(setting, at) ? E.right(undefined) : E.left({ _tag: 'PreconditionFailed', revision: at });

/** What a patch leaves is held to lowered limits just as a PUT of it. */
const isWithin = (lowered: Considered<'patchThreshold'>['limits'], patched: unknown): E.Either<Rejection, unknown> =>
  lowered === undefined
    ? E.right(patched)
    : E.mapLeft(patchConflict)(decode(thresholdInput({ ...hardLimits, ...lowered }), patched));

/** A bearing's orders are looked up outside of the node, which has to come to the same result whenever it is replayed. */
const wereSought = (threshold: Threshold, sought: Setting['bearings']): boolean =>
  sought === undefined || bearingNamesOf(threshold).every((bearing) => sought.some(isNamedLike(bearing)));

/** Sets `threshold`, and rates all of its parts by the newest measurements. */
const replaceThreshold = (state: State, threshold: Threshold, setting: Setting, origin?: Origin): Events => {
  const { reading = state.reading } = setting;
  const names = bearingNamesOf(threshold);
  const sought = setting.bearings?.filter((bearing) => names.some(isNamedLike(bearing))).filter(isResolved);
  const bearings = sought ?? state.bearings;
  const rules = ratingRules(threshold, { reading, bearings });
  return [
    { _tag: 'ThresholdSet', rules, ...(origin !== undefined && { origin }), ...attributionOf(state, setting) },
    ...updateStatus(state, rateAnew(state, rules), setting),
  ];
};

const recordMeasurement = (state: State, command: Considered<'recordMeasurement'>): Decision => {
  const { measurement, measurementDigest } = command;
  if (isRepeat(state, measurement, measurementDigest)) return E.left(unchanged(state.revision));
  const { updatedAt: arrivedAt } = attributionOf(state, command);
  return E.right([
    { _tag: 'MeasurementRecorded', measurement, digest: measurementDigest, arrivedAt },
    ...updateStatus(state, { ...state.parts, ...rateMeasurement(state, measurement) }, command),
  ]);
};

/** The measurement that rated its parts last, again: same id and same content. */
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

/** Every part by `rules` and the newest measurements; the external alarm outlives that. */
const rateAnew = (state: State, rules: RatingRules = state): Parts => {
  const { external } = state.parts;
  return { ...rate(rules, state.latest, heldParts(state, rules)), ...(external !== undefined && { external }) };
};

/**
 * The bands and HALs that the node holds, where nothing has changed that they depend on: to rate them takes a hundred times as
 * long as all the rest. They depend on the release, too: where this very run rated them by the newest spectrum, `applied` and
 * `newest` are one object, which no run carries on.
 */
const heldParts = (state: State, rules: RatingRules): SpectrumParts | undefined => {
  const { applied, newest, parts } = state;
  if (newest.SPECTRUM === undefined || applied.SPECTRUM !== newest.SPECTRUM) return undefined;
  if (rules !== state && spectrumRules(rules) !== spectrumRules(state)) return undefined;
  const { bands, hals } = parts;
  return { ...(bands !== undefined && { bands }), ...(hals !== undefined && { hals }) };
};

/** The change from the parts of `state` to `parts`; nothing where the node holds none before and after, and so has no status. */
const updateStatus = (state: State, parts: Parts, command: Considered): Events => {
  if (!hasParts(state.parts) && !hasParts(parts)) return [];
  const alarmsChanged = alarmsDiffer(state.parts, parts);
  return [{ _tag: 'StatusUpdated', parts, alarmsChanged, ...attributionOf(state, command) }];
};

/** The user and the call behind an event, and its time, which never goes back within a node, whatever the clock does. */
const attributionOf = ({ updatedAt }: State, { userId, cause, now }: Considered): Attribution => ({
  userId,
  ...(cause?.requestId !== undefined && { requestId: cause.requestId }),
  updatedAt: Math.max(updatedAt, now),
});

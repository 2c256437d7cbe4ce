import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { decode, object, wholeNumber } from '../codecs';
import { digest } from '../digest';
import { hardLimits, type Limits } from '../limits';
import type { SoughtBearing } from '../rating/vibration/bearings/resolved-bearing';
import { bearingNamesOf, isNamedLike } from '../rating/vibration/bearings/seek-bearings';
import { patchOperations } from '../threshold/patch/operations';
import { applyPatch } from '../threshold/patch/apply-patch';
import { thresholdInput, type Threshold } from '../threshold/threshold';
import { thresholdView } from '../threshold/threshold-view';
import { defineCommand, required } from './command';
import { patchConflict, unchanged, type Rejection } from './rejections';
import { atRevision, ofSetting, replaceThreshold } from './replace-threshold';

/** The limits of the API that took the patch; those of every node hold beside them. */
const limits = object(
  'limits',
  {},
  { choices: wholeNumber, bands: wholeNumber, hals: wholeNumber, textLength: wholeNumber },
);

/** Patches the threshold that GET shows. Errors: PreconditionFailed, PatchConflict, Unchanged, BearingsNeeded. */
export const patchThreshold = defineCommand({
  description:
    'Patches the threshold: {"operations": [RFC 6902 operations], "userId": "..."}; optional ifMatch, ifNoneMatch, requestId.',
  payload: object('patchThreshold', { ...required, operations: patchOperations() }, { ...ofSetting, limits }),
  asks: ({ operations }) => operations,
  decide: (state, payload) =>
    pipe(
      atRevision(state, payload),
      E.chainW(() => pipe(applyPatch(state.nodeId, state.threshold, payload.operations), E.mapLeft(patchConflict))),
      E.filterOrElse(
        (threshold) => digest(threshold) !== digest(state.threshold),
        (): Rejection => unchanged(state.revision),
      ),
      E.chainFirst((threshold) => isWithin(payload.limits, thresholdView(state.nodeId, threshold))),
      E.chainFirst((threshold) => wereSought(threshold, payload.bearings)),
      E.map((threshold) => replaceThreshold(state, threshold, payload)),
    ),
});

/** What a patch leaves is held to lowered limits just as a PUT of it. */
const isWithin = (lowered: Partial<Limits> | undefined, patched: unknown): E.Either<Rejection, void> =>
  lowered === undefined
    ? E.right(undefined)
    : pipe(
        decode(thresholdInput({ ...hardLimits, ...lowered }), patched),
        E.bimap(patchConflict, () => undefined),
      );

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

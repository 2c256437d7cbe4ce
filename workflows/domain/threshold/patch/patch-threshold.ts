import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { decode, type Reason } from '../../codecs';
import { patchConflict, type Rejection } from '../../commands/rejections';
import { storedThreshold, type Threshold } from '../threshold';
import { thresholdView } from '../view';
import { inShownNames } from './aliases';
import { applyOperations } from './apply-operations';
import type { PatchOperation } from './operations';

/**
 * `threshold` of `nodeId`, patched as the document that GET shows: all operations together, or none.
 *
 * Errors: PatchConflict when an operation does not apply, the node id would change, or the result is no valid threshold.
 * Source: spec, "PATCH /v1/point-alarm-threshold/{nodeId}"; RFC 6902.
 */
export const patchThreshold = (
  nodeId: string,
  threshold: Threshold,
  operations: ReadonlyArray<PatchOperation>,
): E.Either<Rejection, Threshold> =>
  pipe(
    applyOperations(thresholdView(nodeId, threshold), operations.map(inShownNames)),
    E.mapLeft((reason): ReadonlyArray<Reason> => [reason]),
    E.chain((patched) => decode(storedThreshold, patched)),
    E.chain(({ nodeId: patchedId, ...patched }) =>
      patchedId === nodeId ? E.right(patched) : E.left([{ name: 'nodeId', reason: 'cannot be changed' }]),
    ),
    E.mapLeft(patchConflict),
  );

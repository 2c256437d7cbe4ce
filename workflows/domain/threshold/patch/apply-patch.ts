import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { decode, type Reason } from '../../codecs';
import { storedThreshold, type Threshold } from '../threshold';
import { thresholdView } from '../threshold-view';
import { inShownNames } from './aliases';
import { applyOperations } from './apply-operations';
import type { PatchOperation } from './operations';

/**
 * `threshold` of `nodeId`, patched as the document that GET shows: all operations together, or none.
 *
 * Errors: a reason when an operation does not apply, the node id would change, or the result is no valid threshold.
 * Source: spec, "PATCH /v1/point-alarm-threshold/{nodeId}"; RFC 6902.
 */
export const applyPatch = (
  nodeId: string,
  threshold: Threshold,
  operations: ReadonlyArray<PatchOperation>,
): E.Either<ReadonlyArray<Reason>, Threshold> =>
  pipe(
    applyOperations(thresholdView(nodeId, threshold), operations.map(inShownNames)),
    E.mapLeft((reason): ReadonlyArray<Reason> => [reason]),
    E.chain((document) => decode(storedThreshold, document)),
    E.chain(({ nodeId: patchedId, ...left }) =>
      patchedId === nodeId ? E.right(left) : E.left([{ name: 'nodeId', reason: 'cannot be changed' }]),
    ),
  );

import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { decode } from '../../workflows/domain/codecs';
import { patchOperations } from '../../workflows/domain/patch/operations';
import { patchThreshold } from '../../workflows/domain/patch/patch-threshold';
import { storedThreshold, thresholdInput, type Threshold } from '../../workflows/domain/threshold/threshold';
import { hardLimits } from '../../workflows/domain/limits';
import type { BearingIndex } from '../../workflows/domain/vibration/bearings/bearing-index';
import { resolveBearings } from '../../workflows/domain/vibration/bearings/resolve-bearings';
import type { PointAlarms } from '../ports';

/** So often a patch is tried again when somebody else changed the threshold meanwhile. */
const MOST_TRIES = 5;

type Send = PointAlarms['send'];
type Payload = Parameters<Send>[2];

/**
 * `nodes`, to which the bearings of the operator are known: what a threshold names is looked up here, when it is set, since a
 * node must come to the same result whenever its history is replayed.
 */
export const withOwnBearings = (nodes: PointAlarms, own: () => BearingIndex): PointAlarms => {
  const send: Send = (nodeId, name, payload) => {
    switch (name) {
      case 'setThreshold':
        return nodes.send(nodeId, name, {
          ...payload,
          ...bearingsOf(decode(thresholdInput(hardLimits), payload['threshold']), own()),
        });
      case 'patchThreshold':
        return JSON.stringify(payload['operations']).includes('halAlarms')
          ? sendPatch(nodes, own(), nodeId, payload, MOST_TRIES)
          : nodes.send(nodeId, name, payload);
      case 'recordMeasurement':
      case 'recalculate':
      case 'setExternalAlarm':
        return nodes.send(nodeId, name, payload);
    }
  };
  return { ...nodes, send };
};

/** A patch tells its bearings only together with what it changes, and just that revision it may then be applied to. */
const sendPatch = (
  nodes: PointAlarms,
  own: BearingIndex,
  nodeId: string,
  payload: Payload,
  tries: number,
): ReturnType<Send> =>
  pipe(
    nodes.threshold(nodeId),
    TE.chainW(({ value: { revision, threshold } }) => {
      const patched = pipe(
        E.Do,
        E.bind('current', () => decode(storedThreshold, threshold)),
        E.bind('operations', () => decode(patchOperations(), payload['operations'])),
        E.chainW(({ current: { nodeId: _, ...current }, operations }) => patchThreshold(nodeId, current, operations)),
      );
      const expected = payload['ifMatch'] ?? [revision];
      return pipe(
        nodes.send(nodeId, 'patchThreshold', { ...payload, ifMatch: expected, ...bearingsOf(patched, own) }),
        TE.orElse((refusal) =>
          refusal._tag === 'PreconditionFailed' && payload['ifMatch'] === undefined && tries > 1
            ? sendPatch(nodes, own, nodeId, payload, tries - 1)
            : TE.left(refusal),
        ),
      );
    }),
  );

/** What does not decode or apply is left to the node to refuse. */
const bearingsOf = (threshold: E.Either<unknown, Threshold>, own: BearingIndex): Payload =>
  E.isLeft(threshold) ? {} : { bearings: resolveBearings(threshold.right, own) };

import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { decode } from '../../../workflows/domain/codecs';
import { hardLimits } from '../../../workflows/domain/limits';
import { thresholdInput } from '../../../workflows/domain/threshold/threshold';
import type { BearingIndex } from '../../../workflows/domain/rating/vibration/bearings/bearing-index';
import type { BearingName } from '../../../workflows/domain/rating/vibration/bearings/resolved-bearing';
import { bearingNamesOf, seekBearings } from '../../../workflows/domain/rating/vibration/bearings/seek-bearings';
import { beforeDeadline } from '../before-deadline';
import type { Behalf, PointAlarms } from '../../ports';

type Send = PointAlarms['send'];
type Payload = Parameters<Send>[2];

/**
 * `nodes` with the bearings of the operator. The bearings of a threshold are looked up here when it is set, since a node must
 * come to the same result at every replay.
 */
export const withOwnBearings = (nodes: PointAlarms, own: () => BearingIndex, deadlineMs: number): PointAlarms => {
  const send: Send = (nodeId, name, payload, by) => {
    switch (name) {
      case 'setThreshold':
        return nodes.send(nodeId, name, { ...payload, ...bearingsOf(payload['threshold'], own()) }, by);
      case 'patchThreshold':
        return JSON.stringify(payload['operations']).includes('halAlarms')
          ? beforeDeadline(deadlineMs, sendPatch(nodes, own, nodeId, payload, by, [], Date.now() + deadlineMs))
          : nodes.send(nodeId, name, payload, by);
      case 'recordMeasurement':
      case 'recalculate':
      case 'setExternalAlarm':
      case 'republish':
        return nodes.send(nodeId, name, payload, by);
    }
  };
  return { ...nodes, send };
};

/**
 * Only the node knows which bearings a patched threshold names. It refuses a patch without them and lists them, which costs
 * no write. The patch is resent with them, until the deadline (epoch ms) if others change the names meanwhile.
 */
const sendPatch = (
  nodes: PointAlarms,
  own: () => BearingIndex,
  nodeId: string,
  payload: Payload,
  by: Behalf | undefined,
  names: ReadonlyArray<BearingName>,
  until: number,
): ReturnType<Send> =>
  pipe(
    nodes.send(nodeId, 'patchThreshold', { ...payload, bearings: seekBearings(names, own()) }, by),
    TE.orElse((refusal) =>
      refusal._tag === 'BearingsNeeded' && Date.now() < until
        ? sendPatch(nodes, own, nodeId, payload, by, refusal.bearings, until)
        : TE.left(refusal),
    ),
  );

/** A threshold that does not decode is left for the node to refuse. */
const bearingsOf = (threshold: unknown, own: BearingIndex): Payload =>
  pipe(
    decode(thresholdInput(hardLimits), threshold),
    E.match(
      () => ({}),
      (decoded) => ({ bearings: seekBearings(bearingNamesOf(decoded), own) }),
    ),
  );

import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Log } from '../../process/log';
import {
  type BearingIndex,
  bearingNamesOf,
  indexBearings,
  seekBearings,
} from '../../workflows/domain/rating/vibration/bearings/bearing-lookup';
import { bearingsFile } from '../../workflows/domain/rating/vibration/bearings/bearings-file';
import { jsonDocument } from '../../process/json';
import { type WatchedFile, watchFile } from '../../process/files/watched-file';
import type { BearingName } from '../../workflows/domain/rating/vibration/bearings/bearing';
import type { Command } from '../../workflows/domain/node/commands';
import type { Caller, PointAlarms } from '../ports';

/** The operator's own bearings (docs/bearings.md), re-read when their file changes. Left: one line, the fault of the file. */
export const createOwnBearings = (path: string, log: Log): E.Either<string, WatchedFile<BearingIndex>> =>
  watchFile({
    setting: 'BEARINGS_FILE',
    path,
    read: (text) => pipe(jsonDocument(bearingsFile)(text), E.map(indexBearings)),
    log,
  });

/** Most tries of a patch. Two are enough, unless another call changes the threshold's bearings meanwhile, which is rare. */
const MOST_TRIES = 8;

/**
 * Adds the operator's own bearings to the thresholds that are sent to `nodes`. The API looks them up, because a workflow's
 * replay must not depend on a file. Only the node knows which bearings a patched threshold names. So the node refuses the patch
 * and lists their names, which costs no write, and the API sends the patch again with these bearings.
 */
export const withOwnBearings = (nodes: PointAlarms, own: () => BearingIndex): PointAlarms => {
  const sendPatch = (nodeId: string, patch: Extract<Command, { name: 'patchThreshold' }>, by?: Caller) => async () => {
    let names: ReadonlyArray<BearingName> = [];
    for (let tries = 1; ; tries += 1) {
      const sent = await nodes.send(nodeId, { ...patch, bearings: seekBearings(names, own()) }, by)();
      if (E.isRight(sent) || sent.left._tag !== 'BearingsNeeded' || tries === MOST_TRIES) return sent;
      names = sent.left.bearings;
    }
  };
  return {
    ...nodes,
    send: (nodeId, command, by) => {
      if (command.name === 'setThreshold') {
        const bearings = seekBearings(bearingNamesOf(command.threshold), own());
        return nodes.send(nodeId, { ...command, bearings }, by);
      }
      return command.name === 'patchThreshold' && JSON.stringify(command.operations).includes('halAlarms')
        ? sendPatch(nodeId, command, by)
        : nodes.send(nodeId, command, by);
    },
  };
};

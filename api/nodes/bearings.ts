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
import type { Behalf, PointAlarms } from '../ports';

/** The operator's own bearings (docs/bearings.md), re-read when their file changes. Left: the fault of the file, in one line. */
export const createOwnBearings = (path: string, log: Log): E.Either<string, WatchedFile<BearingIndex>> =>
  watchFile({
    setting: 'BEARINGS_FILE',
    path,
    read: (text) => pipe(jsonDocument(bearingsFile)(text), E.map(indexBearings)),
    log,
  });

/** Times that a patch is sent: others must change its bearings between two of them each time, which is hardly ever by chance. */
const MOST_TRIES = 8;

/**
 * `nodes` with the bearings of the operator, which are looked up here when a threshold is set: a node must come to the same result
 * at every replay. Only the node knows which ones a patched threshold names: it refuses a patch without them and lists them,
 * which costs no write, and the patch is resent with them, and again if others change the names meanwhile.
 */
export const withOwnBearings = (nodes: PointAlarms, own: () => BearingIndex): PointAlarms => {
  const sendPatch = (nodeId: string, patch: Extract<Command, { name: 'patchThreshold' }>, by?: Behalf) => async () => {
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

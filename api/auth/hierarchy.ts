import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Log } from '../../process/log';
import type { Hierarchy } from '../ports';
import { hierarchyFile } from '../../process/files/hierarchy-file';
import { jsonDocument } from '../../process/json';
import { watchFile } from '../../process/files/watched-file';

export interface NodeHierarchy extends Hierarchy {
  readonly parentOf: (nodeId: string) => string | undefined;
  readonly close: () => void;
}

/** Reads the hierarchy from a file. Without a `path`, every id is a measurement point. Left: why the file is refused. */
export const createHierarchy = (path: string | undefined, log: Log): E.Either<string, NodeHierarchy> =>
  path === undefined
    ? E.right(everyNode)
    : pipe(
        watchFile({ setting: 'HIERARCHY_FILE', path, read: jsonDocument(hierarchyFile), log }),
        E.map(({ current, close }) => ({
          kindOf: (nodeId) => {
            const node = current().get(nodeId);
            if (node === undefined) return 'unknown';
            return node.type === 'measurement_point' ? 'measurement_point' : 'other';
          },
          parentOf: (nodeId) => current().get(nodeId)?.parent,
          close,
        })),
      );

const everyNode: NodeHierarchy = {
  kindOf: () => 'measurement_point',
  parentOf: () => undefined,
  close: () => undefined,
};

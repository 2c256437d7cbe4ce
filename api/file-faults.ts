import * as E from 'fp-ts/Either';
import type { Log } from '../process/log';
import { textOf, type Environment } from '../process/settings';
import { createFileKeySet, createGrants, createHierarchy } from './auth';
import { createOwnBearings } from './nodes/bearings/own-bearings';

/** Every fault of the files that `env` names, for a process that cannot start: it reports them beside its settings' faults. */
export const fileFaults = (env: Environment, log: Log): ReadonlyArray<string> => {
  const hierarchy = { parentOf: () => undefined };
  const openers: ReadonlyArray<readonly [setting: string, open: (file: string) => E.Either<string, unknown>]> = [
    ['AUTH_JWKS_FILE', (file) => createFileKeySet({ file, log })],
    ['HIERARCHY_FILE', (file) => createHierarchy({ file, log })],
    ['GRANTS_FILE', (file) => createGrants({ grantsFile: file, hierarchy, log })],
    ['BEARINGS_FILE', (file) => createOwnBearings({ file, log })],
  ];
  return openers.flatMap(([setting, open]) => {
    const file = textOf(env, setting);
    const opened = file === undefined ? E.right(undefined) : open(file);
    return E.isLeft(opened) ? [opened.left] : [];
  });
};

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

const removedBy = (after: (remove: () => void) => void): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'point-alarm-test-')));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** A folder of its own for one test, gone after it. */
export const folderOfTest = (): string => removedBy(onTestFinished);

/** A folder for the tests of a file, gone after them. */
export const folderOfFile = (): string => removedBy(afterAll);

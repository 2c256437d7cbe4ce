import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { folderOfTest } from '../../support/temporary-folder';

const OLDEST = 10; // 3.10, as pyproject.toml has it
const NEWEST = 14;

/** The minor version of a Python 3 that runs, if `command` is one. */
const minorOf = (command: string): number | undefined => {
  const { stdout } = spawnSync(command, ['-c', 'import sys; print(*sys.version_info[:2])']);
  const [, minor] = /^3 (\d+)$/mu.exec(String(stdout)) ?? []; // null, where there is no such command
  return minor === undefined ? undefined : Number(minor);
};

/** Each Python of this machine, by its command: those by name, and what pyenv keeps beside them. */
const pythons = (): ReadonlyArray<string> => {
  const kept = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
  let versions: ReadonlyArray<string> = [];
  try {
    versions = readdirSync(kept).map((version) => join(kept, version, 'bin/python'));
  } catch {
    // no pyenv
  }
  const named = Array.from({ length: NEWEST - OLDEST + 1 }, (_, at) => `python3.${OLDEST + at}`);
  return ['python3', ...named, ...versions];
};

/** The oldest and the newest Python that the package may run on. */
const chosen = (): ReadonlyArray<readonly [version: string, command: string]> => {
  const found = pythons().flatMap((command) => {
    const minor = minorOf(command);
    return minor !== undefined && minor >= OLDEST ? [{ minor, command }] : [];
  });
  const sorted = found.toSorted((one, other) => one.minor - other.minor);
  const ends = [sorted[0], sorted.at(-1)].flatMap((one) => one ?? []);
  return [...new Map(ends.map(({ minor, command }) => [`3.${minor}`, command]))];
};

test.each(chosen())(
  'the package for recordings passes its tests on Python %s',
  (_, command) => {
    const folder = folderOfTest();
    const python = join(folder, '.venv/bin/python');
    const source = join(projectRoot, 'docs/examples/python');
    execFileSync(command, ['-m', 'venv', join(folder, '.venv')]);
    execFileSync(python, ['-m', 'pip', 'install', '-q', '--no-compile', `${source}[test]`]);
    const options = ['-q', '--tb=short', '-p', 'no:cacheprovider', '--basetemp', join(folder, 'files')];
    const { stdout } = spawnSync(python, ['-B', '-m', 'pytest', ...options, join(source, 'tests')], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stdout).toMatch(/^\d+ passed(?:, \d+ warnings?)? in /mu);
  },
  900_000,
);

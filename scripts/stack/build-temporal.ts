import * as E from 'fp-ts/Either';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Environment } from './environment';
import { lineOf } from './fault';
import type { Ground } from './ground';
import { keepTemporal } from './keep-temporal';
import { projectRoot } from './project-root';
import { withProgress } from './report';
import { runChild } from './run-child';
import { onPath, outputOf } from './run-command';
import { PINNED_VERSION, type TemporalCommand } from './temporal-command';

const PACKAGE = 'github.com/temporalio/cli';
const LINK_FLAGS = `-s -w -X ${PACKAGE}/internal/temporalcli.Version=${PINNED_VERSION}`;
const BUILD = ['build', '-v', '-trimpath', '-buildvcs=false', '-ldflags', LINK_FLAGS];

/** The Temporal command built from the pinned Go module in `tools/temporal`, then kept. Takes minutes, once. */
export const buildTemporal = async (env: Environment, ground: Ground): Promise<E.Either<string, TemporalCommand>> => {
  const go = onPath('go', env);
  if (go === undefined) return E.left('there is no go on PATH');
  const version = await outputOf(go, ['env', 'GOVERSION'], env).then((text) => text.trim(), lineOf);
  if (!isNewEnough(version)) return E.left(`${go} is ${version}`);
  const doing = `building Temporal ${PINNED_VERSION} with ${version} (some minutes, once)`;
  const say = (line: string): void => {
    ground.report('temporal', line);
  };
  return keepTemporal(env, ground, async (path) => {
    const log = join(dirname(path), 'build.log');
    const plan = {
      name: 'go build',
      command: go,
      args: [...BUILD, '-o', path, `${PACKAGE}/cmd/temporal`],
      folder: join(projectRoot, 'tools/temporal'),
      env: { ...env, GOWORK: 'off' },
      log,
    };
    await withProgress(say, doing, () => runChild(plan, ground), { detail: () => stageIn(log) });
  });
};

const isNewEnough = (version: string): boolean => {
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 26);
};

/** How far the build is, by the lines that `go build -v` wrote: one for each module fetched and each package compiled. */
const stageIn = (log: string): string => {
  const lines = readFileSync(log, 'utf8').split('\n');
  const fetched = lines.filter((line) => line.startsWith('go: downloading')).length;
  const compiled = lines.length - 1 - fetched;
  return `, ${fetched > 0 ? `${fetched} modules fetched, ` : ''}${compiled} packages compiled`;
};

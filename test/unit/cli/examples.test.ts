import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../../../cli/program';
import { projectRoot } from '../../../dev/stack/project-root';
import { anId } from '../../support/scenario';
import { folderWith, runHere } from '../../support/run-program';

const withAll = (command: Command): ReadonlyArray<Command> => [command, ...command.commands.flatMap(withAll)];
const nameOf = (command: Command): string =>
  `${command.parent === null ? '' : `${nameOf(command.parent)} `}${command.name()}`;

/** The lines after the prompts in the help text of `command`. */
const examplesOf = (command: Command): ReadonlyArray<string> => {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  const [, examples = ''] = help.split(/^Examples?:$/mu);
  return [...examples.matchAll(/^ {2}\$ (.*)$/gmu)].map(([, line = '']) => line);
};

/** The arguments with which a shell calls `pas` when it reads `line`; none where it calls something else. */
const argumentsIn = (line: string): ReadonlyArray<string> => {
  const script = `npm() { echo token; }; pas() { printf '%s\\0' "$@" >&3; }; NODE=${anId(1)}; ${line}`;
  const { status, stderr, output } = spawnSync('bash', ['-euc', script], {
    cwd: folderWith({}),
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  expect([line, status, stderr]).toEqual([line, 0, '']);
  return (output[3] ?? '').split('\0').slice(0, -1);
};
const callsOf = (command: Command): ReadonlyArray<ReadonlyArray<string>> =>
  examplesOf(command)
    .map(argumentsIn)
    .filter(({ length }) => length > 0);

/** The command that takes `args`, all of whose work is left out. Errors: what is wrong with them. */
const takenBy = async (args: ReadonlyArray<string>): Promise<string> => {
  const taken: string[] = [];
  let works = 0;
  const program = createProgram(async () => void (works += 1));
  program.hook('preAction', (_, command) => void taken.push(nameOf(command)));
  for (const command of withAll(program)) command.configureOutput({ writeErr: () => undefined });
  await program.parseAsync([...args], { from: 'user' });
  expect([taken.length, works]).toEqual([1, 1]);
  return taken.join();
};

const commands = withAll(createProgram(async () => undefined));

test.each(commands.map((command) => [nameOf(command), command] as const))(
  '%s --help has an example, and each is a call that the command takes',
  async (name, command) => {
    const calls = callsOf(command);
    expect(calls).not.toEqual([]);
    for (const args of calls) expect(`${await takenBy(args)} `).toMatch(new RegExp(`^${name} `, 'u'));
  },
);

test('a call that the command does not take would be no example', async () => {
  await expect(takenBy(argumentsIn('pas watch --colour'))).rejects.toThrow(/unknown option/u);
});

test('the examples that need no server run to a good end', async () => {
  const read = (name: string): string => readFileSync(join(projectRoot, 'docs/examples', name), 'utf8');
  const measurement = JSON.parse(read('outer-race.json')) as object;
  const folder = folderWith({
    'threshold.json': read('outer-race-threshold.json'),
    'measurements.ndjson': [1, 2]
      .map((n) => `${JSON.stringify({ ...measurement, measurementId: anId(n) })}\n`)
      .join(''),
    'thresholds.csv': `node,thresholdType,outerHigh\n${anId(1)},2,70\n`,
  });
  symlinkSync(join(projectRoot, 'docs'), join(folder, 'docs'));
  const needNone = commands.flatMap(callsOf).filter(([name, ...args]) => name === 'rate' || args.includes('--dry-run'));
  expect(needNone).toHaveLength(3);
  for (const args of needNone) {
    const { out, ...ended } = await runHere(folder, ...args);
    expect([args, ended]).toEqual([args, { code: 0, err: [] }]);
    expect(out.length).toBeGreaterThan(0);
  }
});

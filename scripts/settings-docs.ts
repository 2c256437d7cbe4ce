import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { envExample, settingsTable } from '../process/settings/settings-table';

/**
 * `--write` puts the settings into `.env.example` and between the two markers `<!-- settings -->` of the README, `--check`
 * says which of them is out of date, by exit code 1. It works on the folder it is called in.
 */
const MARKER = '<!-- settings -->';

const withTable = (readme: string): string => {
  const parts = readme.split(MARKER);
  if (parts.length !== 3) throw new Error(`README.md must hold the marker ${MARKER} twice`);
  return [parts[0], `\n\n${settingsTable()}\n`, parts[2]].join(MARKER);
};

const main = (mode: string | undefined): number => {
  if (mode !== '--write' && mode !== '--check') {
    process.stderr.write('Usage: settings-docs --write | --check\n');
    return 2;
  }
  const readme = join(process.cwd(), 'README.md');
  const files = [
    { path: join(process.cwd(), '.env.example'), expected: envExample },
    ...(existsSync(readme) ? [{ path: readme, expected: withTable }] : []),
  ];
  const stale = files.filter(({ path, expected }) => {
    const found = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (found === expected(found)) return false;
    if (mode === '--write') writeFileSync(path, expected(found));
    return true;
  });
  for (const { path } of stale) {
    process.stdout.write(`${path} ${mode === '--write' ? 'was written' : 'is out of date: run it with --write'}\n`);
  }
  return mode === '--check' && stale.length > 0 ? 1 : 0;
};

process.exitCode = main(process.argv[2]);

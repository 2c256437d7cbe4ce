import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DYNAMIC_CONFIG } from '../../../stack/servers';

const entryOf = (line: string): readonly [string, unknown] => {
  const [, key = line, value = 'null'] = /^([\w.]+): \[\{ value: (\w+) \}\]$/u.exec(line) ?? [];
  return [key, JSON.parse(value)];
};

test('docker compose gives its server what the development server has', () => {
  const lines = readFileSync('deploy/compose/dynamic-config.yaml', 'utf8').split('\n');
  const entries = lines.filter((line) => line !== '' && !line.startsWith('#')).map(entryOf);
  expect(Object.fromEntries(entries)).toEqual(DYNAMIC_CONFIG);
});

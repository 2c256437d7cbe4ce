import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../../stack/project-root';

const textOf = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');

test('the consumer that docs/events.md shows is the example, by the name of the package', () => {
  const [, shown] = /^```ts\n(.*?)^```$/msu.exec(textOf('docs/events.md')) ?? [];
  const example = textOf('examples/consume-events.ts')
    .replace(/'\.\.\/consumer'; \/\/ ('[\w/-]+').*/u, '$1;')
    .replace(/\/\*\*.*?\*\/\n/su, '');
  expect(shown).toBe(example);
  expect(example.split('\n').length).toBeLessThan(22);
});

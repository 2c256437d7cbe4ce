import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { examples } from '../../../stream/asyncapi';

const textOf = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');

const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: projectRoot,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((page) => existsSync(join(projectRoot, page)));

/**
 * Blocks that a test runs or decodes, by language and page: console blocks by the tests of the documents (test/e2e), the
 * others by the test named.
 */
const tested: Readonly<Record<string, ReadonlyArray<string>>> = {
  console: ['README.md', 'docs/'],
  mermaid: ['README.md', 'docs/'], // whoever shows the page draws it
  json: 'authentication bearings calls errors events measurements thresholds'.split(' ').map((one) => `docs/${one}.md`),
  sql: ['docs/journal.md'],
  ts: ['docs/client.md', 'docs/consumer-typescript.md'],
};

const forUsers = pages.filter((page) => /^(?:[A-Z]+|docs\/(?:runbook\/)?[\w-]+)\.md$/u.test(page));

test.each(forUsers)('each block of %s is run by a test, or says why not', (page) => {
  const blocks = textOf(page).matchAll(/^( *)(<!-- (?:not )?run: .+ -->\n *)?```(\w*)\n(.*?)^\1```$/gmsu);
  const unmarked = [...blocks]
    .filter(([, , reason, language = '']) => {
      const isTested = (tested[language] ?? []).some((place) => page.startsWith(place));
      return reason === undefined && !isTested;
    })
    .map(([, , , , content = '']) => content);
  expect(unmarked).toEqual([]);
});

/** The pages that `page` links to, below the project's folder. */
const linkedFrom = (page: string): ReadonlyArray<string> =>
  [...textOf(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/gu)]
    .map(([, target = '']) => relative(projectRoot, resolve(projectRoot, dirname(page), target)))
    .filter((target) => target.endsWith('.md') && existsSync(join(projectRoot, target)));

test('every page of the documents is two clicks from the README', () => {
  const first = linkedFrom('README.md');
  const reached = new Set([...first, ...first.flatMap(linkedFrom)]);
  expect(forUsers.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([]);
});

test('every place that the guide for contributors names is there', () => {
  const named = [...textOf('CONTRIBUTING.md').matchAll(/`((?:\.?[\w-]+\/)+[\w.-]*)`/gu)].map(([, place = '']) => place);
  const isThere = (place: string): boolean =>
    [projectRoot, join(projectRoot, 'workflows/domain')].some((root) => existsSync(join(root, place)));
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((place) => !isThere(place))).toEqual([]);
});

test('the events that docs/events.md shows are the examples of the AsyncAPI document', () => {
  const shown = [...textOf('docs/events.md').matchAll(/^```json\n(.*?)^```$/gmsu)];
  expect(shown.map(([, json = '']): unknown => JSON.parse(json))).toEqual(Object.values(examples).flat());
});

test('the entry that docs/getting-started.md shows holds the same event', () => {
  const [, data = ''] = /^ *14\) (".*")$/mu.exec(textOf('docs/getting-started.md')) ?? [];
  expect(JSON.parse(JSON.parse(data))).toEqual(examples.PointAlarmStatusEvent[0]);
});

test('the consumer that docs/consumer-typescript.md shows is the example, by the name of the package', () => {
  const [, shown] = /^```ts\n(.*?)^```$/msu.exec(textOf('docs/consumer-typescript.md')) ?? [];
  const example = textOf('docs/examples/consume-events.ts')
    .replace(/'[./]+stream\/consumer'; \/\/ in your copy: ('[\w/-]+').*/u, '$1;')
    .replace(/\/\*\*.*?\*\/\n/su, '');
  expect(shown).toBe(example);
});

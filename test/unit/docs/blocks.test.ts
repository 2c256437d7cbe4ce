import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../../stack/project-root';

/**
 * Blocks that a test runs or decodes, by page and language: console blocks by the tests of the documents (test/e2e), the
 * others by the test named.
 */
const tested: Readonly<Record<string, ReadonlyArray<string>>> = {
  console: ['README.md', 'docs/'],
  json: ['docs/authentication.md', 'docs/bearings.md', 'docs/calls.md', 'docs/errors.md', 'docs/thresholds.md'],
  sql: ['docs/journal.md'],
  ts: ['docs/client.md', 'docs/events.md'],
};

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...['docs', 'docs/runbook'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

test.each(pages)('each block of %s is run by a test, or says why not', (page) => {
  const text = readFileSync(join(projectRoot, page), 'utf8');
  const blocks = [...text.matchAll(/^( *)(<!-- (?:not )?run: .+ -->\n *)?```(\w*)\n(.*?)^\1```$/gmsu)];
  const unmarked = blocks
    .filter(([, , reason, language = '']) => {
      const isTested = (tested[language] ?? []).some((place) => page.startsWith(place));
      return reason === undefined && !isTested;
    })
    .map(([, , , , content = '']) => content);
  expect(unmarked).toEqual([]);
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../../stack/project-root';
import { questions } from './questions';

/** The pages that `page` links to, below the project's folder. */
const linkedFrom = (page: string): ReadonlyArray<string> =>
  [...readFileSync(join(projectRoot, page), 'utf8').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/gu)]
    .map(([, target = '']) => relative(projectRoot, resolve(projectRoot, dirname(page), target)))
    .filter((target) => target.endsWith('.md') && existsSync(join(projectRoot, target)));

test('every page of the documents is two clicks from the README', () => {
  const first = linkedFrom('README.md');
  const reached = new Set([...first, ...first.flatMap(linkedFrom)]);
  const pages = ['docs', 'docs/runbook'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  );
  expect(pages.filter((page) => !reached.has(page))).toEqual([]);
});

test.each(questions)('%s: %s', (_reader, _question, page, answer) => {
  const first = ['README.md', ...linkedFrom('README.md')];
  expect([...first, ...first.flatMap(linkedFrom)]).toContain(page);
  expect(readFileSync(join(projectRoot, page), 'utf8')).toContain(answer);
});

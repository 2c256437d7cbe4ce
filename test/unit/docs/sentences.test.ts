import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../../stack/project-root';

const MOST_WORDS = 25;

const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: projectRoot,
  encoding: 'utf8',
})
  .trim()
  .split('\n');

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The paragraphs and items of a page, without its code, tables, comments and headings. */
const proseOf = (markdown: string): ReadonlyArray<string> =>
  markdown
    .replaceAll(/^( *)```.*?^\1```$/gmsu, '\n')
    .replaceAll(/<!--.*?-->/gsu, '\n')
    .replaceAll(/^ *(?:\||#).*$/gmu, '\n')
    .replaceAll(/^ *(?:[-*]|\d+\.) /gmu, '\n')
    .split(/\n\s*\n/u)
    .map((paragraph) =>
      paragraph
        .replaceAll(/`[^`]*`/gu, 'Code')
        .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/gu, '$1')
        .replaceAll(/"[^"]*"/gu, 'Quotation')
        .replaceAll(/\*\*/gu, '')
        .replaceAll(/\s+/gu, ' ')
        .trim(),
    );

const wordsIn = (sentence: string): number =>
  sentence.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

test.each(pages)('%s has no sentence of more than 25 words', (page) => {
  const long = proseOf(readFileSync(join(projectRoot, page), 'utf8'))
    .flatMap((paragraph) => [...sentences.segment(paragraph)].map(({ segment }) => segment.trim()))
    .filter((sentence) => wordsIn(sentence) > MOST_WORDS);
  expect(long).toEqual([]);
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { consoleCommands } from '../../support/documents/console';
import { NODE, pagesFor, scriptFor } from '../../support/documents/tier-commands';

test('a tier runs the blocks that name it, in order and without their indentation', () => {
  const block = (by: string, command: string, indent = ''): string =>
    `${indent}<!-- ${by} -->\n${indent}\`\`\`sh\n${indent}${command}\n${indent}\`\`\`\n`;
  const page = [
    block('run: test:compose', 'first'),
    block('run: test:compose-not', 'other'),
    block('not run: test:compose', 'none'),
    block('run: test:kubernetes, test:compose', 'second', '   '),
  ].join('\n');
  expect(scriptFor('test:compose', page)).toBe('first\nsecond\n');
  expect(scriptFor('test:kubernetes', page)).toBe('second\n');
});

test.each([
  ['test:compose', 'docs/deployment.md'],
  ['test:kubernetes', 'docs/deployment-kubernetes.md'],
])('%s begins with %s, which makes the node that later pages look at', (tier, page) => {
  const [first, ...others] = pagesFor(tier, page);
  expect(first?.page).toBe(page);
  expect(first?.script).toContain(`NODE=${NODE}`);
  expect(others.map((one) => one.page)).toContain('docs/runbook/README.md');
});

const pages = readdirSync(join(projectRoot, 'docs/runbook')).map((page) => `docs/runbook/${page}`);

test.each(pages)('%s has commands that run on Kubernetes', (page) => {
  const markdown = readFileSync(join(projectRoot, page), 'utf8');
  const wherever = consoleCommands(markdown).filter(({ command }) => /^(?:temporal|redis-cli) /u.test(command));
  expect(scriptFor('test:kubernetes', markdown) + wherever.map(({ command }) => command).join('\n')).not.toBe('');
});

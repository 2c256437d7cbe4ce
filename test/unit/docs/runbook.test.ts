import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { folderOfTest } from '../../support/temporary-folder';

const folder = join(projectRoot, 'docs/runbook');
const textOf = (page: string): string => readFileSync(join(folder, page), 'utf8');
const pages = readdirSync(folder).filter((page) => page !== 'README.md');

/** The text below a heading, up to the next one. */
const sectionOf = (text: string, heading: string): string =>
  text.split(/^(?=#{2,3} )/mu).find((part) => part.startsWith(`${heading}\n`)) ?? '';

/** The commands that the README defines for each set-up. */
const commands = [...sectionOf(textOf('README.md'), '## The commands').matchAll(/^\| (`.+`) \|/gmu)]
  .flatMap(([, cell = '']) => [...cell.matchAll(/`([\w-]+)/gu)])
  .map(([, name = '']) => name);
const blocksOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^ *```(?:sh|console)\n(.*?)^ *```$/gmsu)].map(([, block = '']) => block);
const isDefined = new RegExp(`^ *(?:\\$ )?(?:${commands.join('|')})(?: |$)`, 'mu');

describe.each(pages)('%s', (page) => {
  const text = textOf(page);
  const check = sectionOf(text, '## Check');

  test('begins its check with a link to the commands, and has one that every set-up knows', () => {
    expect(check).toContain('[Define the commands](README.md#the-commands).');
    expect(blocksOf(text).some((block) => isDefined.test(block))).toBe(true);
  });

  test('says when it is over, and what to do if not', () => {
    const fix = text.slice(text.indexOf('\n## Fix\n')).split(/^## (?!Fix)/mu)[0] ?? '';
    expect(fix).toMatch(/^\*\*Over\*\* \S.* If (?:not|it ends again)\b.*\.$/mu);
  });

  test('names what only one set-up has beside the others', () => {
    const names = (one: RegExp): boolean => one.test(text);
    // What a block or a step does by kubectl alone; what `kubectl` says in passing only adds to the commands of all.
    if (!blocksOf(text).some((block) => /^ *(?:kubectl|helm) (?!.*(?:get|describe) )/mu.test(block))) return;
    expect({ hosts: names(/on hosts/iu), compose: names(/Docker Compose/u) }).toEqual({ hosts: true, compose: true });
  });
});

describe.each(['Docker Compose', 'Kubernetes'])('the definitions for %s', (setUp) => {
  const definitions = blocksOf(sectionOf(textOf('README.md'), `### ${setUp}`)).join('\n');

  test('have all commands', () => {
    expect(commands).toContain('on-postgres');
    const defined = [...definitions.matchAll(/^([\w-]+)\(\) \{/gmu)].map(([, name]) => name);
    expect(commands.filter((name) => !defined.includes(name))).toEqual([]);
  });

  test('pass on what is typed, word by word', () => {
    const bin = join(folderOfTest(), 'bin');
    mkdirSync(bin);
    // Stand-ins say what they were asked; pods are listed as kubectl does.
    const program = `#!/bin/sh
case "$*" in *'get pods --output name'*) echo "pod/point-alarm-worker-1"; echo "pod/kube-worker-2" ;; *) printf '<%s>' "\${0##*/}" "$@"; echo ;; esac\n`;
    for (const name of ['docker', 'kubectl']) writeFileSync(join(bin, name), program, { mode: 0o755 });
    const typed = `${definitions}\non-postgres psql -c 'SELECT 1'\nlogs worker\nrestart worker\nprocesses\nusage\ntemporal workflow list -q 'a = 1'\n`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-eu', '-c', typed], {
      env: { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` },
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(stdout).toContain('<psql><-c><SELECT 1>');
    expect(stdout).toContain('<-q><a = 1>');
    expect(stdout).toMatch(/<logs>.*worker/u);
    expect(stdout).not.toContain('kube-worker');
    expect(stdout).toMatch(/<(?:up|rollout)>.*worker>/u);
  });
});

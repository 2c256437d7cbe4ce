import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../../dev/stack/project-root';
import { consoleCommands } from './console';

/** A page of Markdown, and the shell commands in it that a tier runs, as one script. */
type Page = { readonly page: string; readonly script: string };

/** The tier's blocks of `markdown`, those below a comment that has `run: TIER`, in order, as one script. */
export const scriptFor = (tier: string, markdown: string): string =>
  [...markdown.matchAll(/^( *)<!-- run: ([^\n]+) -->\n *```sh\n(.*?)^\1```$/gmsu)]
    .filter(([, , by = '']) => by.split(', ').includes(tier))
    .map(([, indent = '', , block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gmu'), ''))
    .join('');

const read = (page: string): string => readFileSync(join(projectRoot, page), 'utf8');

/** The node of the first alarm on the pages about deployment; it is there for those of the runbook. */
export const NODE = '4f0c1d52-9b7e-4a53-8d2c-6a1e0b9f7d34';

const RUNBOOK = 'docs/runbook/README.md';

/** What a tier runs of a page of the runbook: as that folder's README says where commands run, those of all set-ups as well. */
const runbookScript = (tier: string, page: string): string =>
  [
    scriptFor(tier, read(RUNBOOK)),
    page === RUNBOOK ? '' : scriptFor(tier, read(page)),
    ...consoleCommands(read(page)).flatMap(({ command }) => (/^(?:temporal|redis-cli) /u.test(command) ? command : [])),
  ].join('\n');

/**
 * A part of a page that a test of the tier runs by itself, since it needs or does what the rest must not meet: the blocks marked
 * `run: TIER/NAME`, after the commands that the runbook defines. Errors: the page has none.
 */
export const partFor = (tier: string, name: string, page: string): string => {
  const script = scriptFor(`${tier}/${name}`, read(page));
  if (script === '') throw new Error(`${page} has no block for ${tier}/${name}`);
  return `${scriptFor(tier, read(RUNBOOK))}\n${script}`;
};

/** What `npm run <tier>` runs of the documents: those pages that have such blocks, `first` before the others. */
export const pagesFor = (tier: string, first: string): ReadonlyArray<Page> => {
  const listed = execFileSync('git', ['ls-files', '*.md'], { cwd: projectRoot, encoding: 'utf8' }).trim().split('\n');
  return [first, ...listed.filter((page) => page !== first && existsSync(join(projectRoot, page)))]
    .map((page) => ({
      page,
      script: dirname(page) === dirname(RUNBOOK) ? runbookScript(tier, page) : scriptFor(tier, read(page)),
    }))
    .filter(({ script }) => script !== '');
};

/** Where commands run, and what is set for them beyond what is set here. */
type Place = { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv };

/** What the commands of a script print; the first that fails ends it. Errors: the script, its exit code, and what it wrote. */
export const shell = async (script: string, { cwd = projectRoot, env = {} }: Place = {}): Promise<string> => {
  const running = promisify(execFile)('bash', ['-eu', '-c', script], {
    ...{ cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 },
  });
  running.child.stdin?.end();
  return running.then(
    ({ stdout }) => stdout.trim(),
    (thrown: unknown) => {
      const { code, stdout, stderr } = thrown as Readonly<Record<'code' | 'stdout' | 'stderr', unknown>>;
      throw new Error(`exit code ${String(code)}: ${script}\n${String(stdout)}\n${String(stderr)}`);
    },
  );
};

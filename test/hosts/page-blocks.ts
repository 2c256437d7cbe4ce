import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../dev/stack/project-root';

/** A block of shell commands on a page, and the hosts on which it runs, in turn. */
export interface HostBlock {
  readonly hosts: ReadonlyArray<string>;
  readonly script: string;
}

/** The blocks of a page that this tier runs, or of one section of it: those below `<!-- run: test:hosts on ADDRESS ADDRESS -->`, in order. */
export const blocksOf = (page: string, heading?: string): ReadonlyArray<HostBlock> => {
  const all = readFileSync(join(projectRoot, page), 'utf8');
  const markdown = heading === undefined ? all : sectionOf(all, heading);
  const blocks = [...markdown.matchAll(/^( *)<!-- run: test:hosts on ([\d. ]+) -->\n *```sh\n(.*?)^\1```$/gmsu)].map(
    ([, indent = '', hosts = '', block = '']) => ({
      hosts: hosts.trim().split(' '),
      script: block.replaceAll(new RegExp(`^${indent}`, 'gmu'), ''),
    }),
  );
  if (blocks.length === 0) throw new Error(`${page} has no block for this tier below ${heading ?? 'its title'}`);
  return blocks;
};

/** From a heading to the next of its level or above. */
const sectionOf = (markdown: string, heading: string): string => {
  const from = markdown.indexOf(`\n${heading}\n`);
  if (from < 0) throw new Error(`there is no ${heading}`);
  const level = heading.indexOf(' ');
  const rest = markdown.slice(from + heading.length + 2);
  const end = rest.search(new RegExp(`^#{1,${level}} `, 'mu'));
  return end < 0 ? rest : rest.slice(0, end);
};

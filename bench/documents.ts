import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machineLine, tablesOf, type Report } from './report';

/**
 * Writes the results in reports/ into a document, between its markers `<!-- name -->` and `<!-- end of name -->`:
 * `npx tsx bench/documents.ts --write docs/benchmarks-tables.md`. Sections without results stay unchanged.
 */

const MODES = ['', '-growth', '-soak'] as const;

const main = ([wish, page = '', folder = 'reports']: ReadonlyArray<string>): number => {
  if (wish !== '--write' || !existsSync(page)) {
    process.stderr.write('usage: documents --write <document> [folder of reports]\n');
    return 2;
  }
  for (const mode of MODES) {
    const file = join(folder, `bench${mode}.json`);
    if (!existsSync(file)) continue;
    const report: Report = JSON.parse(readFileSync(file, 'utf8'));
    const texts = { [`run${mode}`]: runText(report), ...tablesOf(report) };
    writeFileSync(page, Object.entries(texts).reduce(between, readFileSync(page, 'utf8')));
    process.stdout.write(`${file}: ${Object.keys(texts).join(', ')}\n`);
  }
  return 0;
};

const runText = ({ at, command, machine }: Report): string =>
  `\`${command}\`, ${at.slice(0, 10)}: ${machineLine(machine)}.`;

/** Errors: the document has no such markers. */
const between = (page: string, [name, text]: readonly [string, string]): string => {
  const pattern = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- end of ${name} -->)`, 'u');
  if (!pattern.test(page)) throw new Error(`the document lacks the markers of ${name}`);
  return page.replace(pattern, (_all, start: string, end: string) => `${start}\n${text}\n\n${end}`);
};

process.exitCode = main(process.argv.slice(2));

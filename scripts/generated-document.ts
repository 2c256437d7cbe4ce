import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from './stack/project-root';

/** A document that a script makes of the code. */
export interface GeneratedDocument {
  /** The script's name. */
  readonly script: string;
  /** Below the project's folder. */
  readonly path: string;
  readonly text: string;
}

/** Does what the first argument wishes: `--write` writes the document, `--check` says whether it is the one there. */
export const keepDocument = async ({ script, path, text }: GeneratedDocument): Promise<number> => {
  const file = join(projectRoot, path);
  const [wish] = process.argv.slice(2);
  if (wish === '--write') {
    await writeFile(file, text);
    return 0;
  }
  if (wish === '--check') {
    if ((await readFile(file, 'utf8').catch(() => '')) === text) return 0;
    process.stderr.write(`${path} is not what the code says: run scripts/${script}.ts --write\n`);
    return 1;
  }
  process.stderr.write(`usage: ${script} --write|--check\n`);
  return 2;
};

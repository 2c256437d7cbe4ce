import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../project-root';
import { runEntry } from '../report';

interface GeneratedDocument {
  /** The document's path below the project's folder. */
  readonly path: string;
  /** Makes the document from its present text. */
  readonly text: (present: string) => string;
}

/** Runs the generator in the file `script`: `--write` writes its documents; `--check` gives exit code 1 if a file differs. */
export const generate = (script: string, documents: ReadonlyArray<GeneratedDocument>): Promise<never> =>
  runEntry(async () => {
    const [wish] = process.argv.slice(2);
    if (wish !== '--write' && wish !== '--check') {
      process.stderr.write(`usage: npx tsx ${script} --write|--check\n`);
      return 2;
    }
    let stale = 0;
    for (const { path, text } of documents) {
      const file = join(projectRoot, path);
      const present = await readFile(file, 'utf8').catch(() => '');
      const wanted = text(present);
      if (wanted === present) continue;
      if (wish === '--write') await writeFile(file, wanted);
      else process.stderr.write(`${path} differs from the code: run npx tsx ${script} --write\n`);
      stale += 1;
    }
    return wish === '--check' && stale > 0 ? 1 : 0;
  });

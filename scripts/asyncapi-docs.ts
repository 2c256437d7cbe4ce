import * as E from 'fp-ts/Either';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { documentOf } from '../activities/asyncapi/document';
import { yamlOf } from '../activities/asyncapi/yaml';
import { workerSettings } from '../process/settings';
import { runEntry } from './run-entry';
import { projectRoot } from './stack/project-root';

const file = join(projectRoot, 'docs', 'asyncapi.yaml');

/** `--write` writes the AsyncAPI document of the presets to docs/asyncapi.yaml, `--check` says whether it is the one there. */
const main = async (): Promise<number> => {
  const settings = workerSettings({});
  if (E.isLeft(settings)) throw new Error(settings.left.join('; '));
  const document = `# Written by scripts/asyncapi-docs.ts from the codecs of the events.${yamlOf(documentOf(settings.right.events))}\n`;
  const [wish] = process.argv.slice(2);
  if (wish === '--write') {
    await writeFile(file, document);
    return 0;
  }
  if (wish === '--check') {
    if ((await readFile(file, 'utf8').catch(() => '')) === document) return 0;
    process.stderr.write('docs/asyncapi.yaml is not what the codecs say: run scripts/asyncapi-docs.ts --write\n');
    return 1;
  }
  process.stderr.write('usage: asyncapi-docs --write|--check\n');
  return 2;
};

void runEntry(main);

import * as E from 'fp-ts/Either';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { openRoutesOf } from '../api/open';
import { documentOf } from '../api/openapi/document';
import { routesOf } from '../api/routes';
import { apiSettings } from '../process/settings';
import { runEntry } from './run-entry';
import { projectRoot } from './stack/project-root';

const file = join(projectRoot, 'docs', 'openapi.json');

/** `--write` writes the OpenAPI document of the presets to docs/openapi.json, `--check` says whether it is the one there. */
const main = async (): Promise<number> => {
  const document = `${JSON.stringify(presetDocument(), undefined, 2)}\n`;
  const [wish] = process.argv.slice(2);
  if (wish === '--write') {
    await writeFile(file, document);
    return 0;
  }
  if (wish === '--check') {
    if ((await readFile(file, 'utf8').catch(() => '')) === document) return 0;
    process.stderr.write('docs/openapi.json is not what the routes say: run scripts/openapi-docs.ts --write\n');
    return 1;
  }
  process.stderr.write('usage: openapi-docs --write|--check\n');
  return 2;
};

const presetDocument = (): Readonly<Record<string, unknown>> => {
  const settings = apiSettings({ AUTH_JWKS_FILE: 'keys', GRANTS_FILE: 'grants' });
  if (E.isLeft(settings)) throw new Error(settings.left.join('; '));
  const { limits, callDeadlineMs } = settings.right;
  const routes = routesOf(limits, { kindOf: () => 'measurement_point' }, callDeadlineMs);
  return documentOf(routes, openRoutesOf(routes, { checks: [], isStopping: () => false, registry: new Registry() }));
};

void runEntry(main);

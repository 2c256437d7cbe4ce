import * as E from 'fp-ts/Either';
import { Registry } from 'prom-client';
import { openRoutesOf } from '../api/open';
import { documentOf } from '../api/openapi/document';
import { routesOf } from '../api/routes';
import { apiSettings } from '../process/settings';
import { keepDocument } from './generated-document';
import { runEntry } from './run-entry';

/** docs/openapi.json: the OpenAPI document of the presets. */
const main = (): Promise<number> =>
  keepDocument({
    script: 'openapi-docs',
    path: 'docs/openapi.json',
    text: `${JSON.stringify(presetDocument(), undefined, 2)}\n`,
  });

const presetDocument = (): Readonly<Record<string, unknown>> => {
  const settings = apiSettings({ AUTH_JWKS_FILE: 'keys', GRANTS_FILE: 'grants' });
  if (E.isLeft(settings)) throw new Error(settings.left.join('; '));
  const { limits, callDeadlineMs } = settings.right;
  const routes = routesOf(limits, { kindOf: () => 'measurement_point' }, callDeadlineMs);
  return documentOf(routes, openRoutesOf(routes, { checks: [], isStopping: () => false, registry: new Registry() }));
};

void runEntry(main);

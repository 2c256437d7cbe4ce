import * as E from 'fp-ts/Either';
import { Registry } from 'prom-client';
import { openRoutesOf } from '../../api/http/open-routes';
import { routesOf } from '../../api/routes';
import { documentOf } from '../../api/http/openapi';
import { apiSettings } from '../../process/settings';
import { generate } from './generated-document';

/** docs/openapi.json: the OpenAPI document of the presets. */
const presetDocument = (): string => {
  const settings = apiSettings({ AUTH_JWKS_FILE: 'keys', GRANTS_FILE: 'grants' });
  if (E.isLeft(settings)) throw new Error(settings.left.join('; '));
  const routes = routesOf(settings.right, { kindOf: () => 'measurement_point' });
  const open = openRoutesOf(routes, { checks: [], isStopping: () => false, registry: new Registry() });
  return `${JSON.stringify(documentOf(routes, open), undefined, 2)}\n`;
};

void generate('stack/commands/openapi-docs.ts', [{ path: 'docs/openapi.json', text: presetDocument }]);

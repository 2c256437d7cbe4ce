import { readFileSync } from 'node:fs';

const packageFile = readFileSync(require.resolve('point-alarm-service/package.json'), 'utf8');

/** The version of this release, as in package.json. The OpenAPI and AsyncAPI documents and every `/healthz` state it. */
export const VERSION = String((JSON.parse(packageFile) as { readonly version: unknown }).version);

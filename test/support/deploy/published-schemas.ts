import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';

/** An object that `kubectl apply` takes. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: unknown;
}

interface Release {
  readonly kinds: Readonly<Record<string, string>>;
  readonly definitions: Readonly<Record<string, object>>;
}

const folder = join(__dirname, 'schemas');
const read = (name: string): Release => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const named = (prefix: string): ReadonlyArray<string> =>
  readdirSync(folder).filter((name) => name.startsWith(prefix) && name.endsWith('.json'));

/** A release of Kubernetes, with the kinds of the Prometheus operator beside its own. */
export interface PublishedSchemas {
  readonly release: string;
  /** What the schemas have against a manifest; nothing where it is valid. */
  readonly faultsOf: (manifest: Manifest) => ReadonlyArray<string>;
  /** The same for a patch, which leaves out what it does not change. */
  readonly faultsOfPatch: (patch: Manifest) => ReadonlyArray<string>;
}

/** Each release that is here, as `extract-schemas.ts` wrote it. */
export const publishedSchemas = (): ReadonlyArray<PublishedSchemas> =>
  named('kubernetes-').map((name) => {
    const releases = [name, ...named('prometheus-operator-')].map(read);
    return {
      release: name.replace('.json', ''),
      faultsOf: faultsBy(releases),
      faultsOfPatch: faultsBy(releases.map(withoutRequired)),
    };
  });

const withoutRequired = (release: Release): Release =>
  JSON.parse(JSON.stringify(release, (key, value: unknown) => (key === 'required' ? undefined : value))) as Release;

const faultsBy = (releases: ReadonlyArray<Release>): ((manifest: Manifest) => ReadonlyArray<string>) => {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  const references = new Map<string, string>();
  releases.forEach(({ kinds, definitions }, index) => {
    ajv.addSchema({ $id: `release-${index}`, definitions });
    for (const [kind, name] of Object.entries(kinds)) references.set(kind, `release-${index}#/definitions/${name}`);
  });
  return (manifest) => {
    const kind = `${manifest.apiVersion} ${manifest.kind}`;
    const reference = references.get(kind);
    const isValid = reference === undefined ? undefined : ajv.getSchema(reference);
    if (isValid === undefined) return [`${kind} is no kind of this release`];
    isValid(manifest);
    return (isValid.errors ?? []).map(
      ({ instancePath, message = 'is not valid', params }) =>
        `${kind} ${manifest.metadata.name}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
};

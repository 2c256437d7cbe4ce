import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/**
 * Writes the schemas of this folder anew: `npx tsx test/support/deploy/extract-schemas.ts`.
 *
 * Source:   what Kubernetes and the Prometheus operator publish, by their Go modules; it needs `go` and a module proxy.
 * Shape:    one JSON Schema a release, with the definitions that our kinds reach and none of their descriptions.
 * Decision: closed, so that a misspelt member is a fault: an API server would drop it and say nothing.
 */
const KUBERNETES = ['v1.35.4', 'v1.37.2'];
const PROMETHEUS_OPERATOR = 'v0.85.0';
const KINDS: Readonly<Record<string, string>> = {
  'apps/v1 Deployment': 'io.k8s.api.apps.v1.Deployment',
  'autoscaling/v2 HorizontalPodAutoscaler': 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
  'networking.k8s.io/v1 NetworkPolicy': 'io.k8s.api.networking.v1.NetworkPolicy',
  'policy/v1 PodDisruptionBudget': 'io.k8s.api.policy.v1.PodDisruptionBudget',
  'v1 ConfigMap': 'io.k8s.api.core.v1.ConfigMap',
  'v1 Namespace': 'io.k8s.api.core.v1.Namespace',
  'v1 Secret': 'io.k8s.api.core.v1.Secret',
  'v1 Service': 'io.k8s.api.core.v1.Service',
  'v1 ServiceAccount': 'io.k8s.api.core.v1.ServiceAccount',
};
const CRDS = ['podmonitors', 'prometheusrules'];

type Schema = { readonly [member: string]: unknown; readonly properties?: Readonly<Record<string, Schema>> };

const folderOf = (module: string): string => {
  const found = JSON.parse(execFileSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8' })) as {
    readonly Dir: string;
  };
  return found.Dir;
};

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `value` without descriptions and Kubernetes' own keywords, closed where its members are known. */
const closed = (value: Schema): Schema => {
  if (value['format'] === 'int-or-string' || value['x-kubernetes-int-or-string'] === true)
    return { type: ['integer', 'string'] };
  const members = Object.entries(value).filter(
    ([name, member]) =>
      name !== 'description' &&
      !name.startsWith('x-kubernetes-') &&
      !(name === 'pattern' && String(member).includes('(?i)')), // Go's syntax, no other's
  );
  return {
    ...Object.fromEntries(members.map(([name, member]) => [name, inside(name, member)])),
    ...(value.properties !== undefined && { additionalProperties: false }),
  };
};

const inside = (name: string, member: unknown): unknown => {
  if (name === 'properties' && isSchema(member))
    return Object.fromEntries(
      Object.entries(member).map(([property, schema]) => [property, isSchema(schema) ? closed(schema) : schema]),
    );
  return isSchema(member) ? closed(member) : member;
};

const namesIn = (schema: Schema): ReadonlyArray<string> =>
  [...JSON.stringify(schema).matchAll(/"#\/definitions\/([^"]+)"/gu)].map(([, name = '']) => name);

/** The definitions that `names` reach. */
const reached = (all: Readonly<Record<string, Schema>>, names: ReadonlyArray<string>): Record<string, Schema> => {
  const found: Record<string, Schema> = {};
  const left = [...names];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    const schema = all[name];
    if (schema === undefined || name in found) continue;
    const kept = closed(schema);
    found[name] = kept;
    left.push(...namesIn(kept));
  }
  return found;
};

/** Writes a release, one line a definition. */
const write = (
  name: string,
  source: string,
  kinds: Readonly<Record<string, string>>,
  found: Readonly<Record<string, Schema>>,
): void => {
  const lines = Object.keys(found)
    .sort()
    .map((key) => `    ${JSON.stringify(key)}: ${JSON.stringify(found[key])}`);
  const head = `{\n  "source": ${JSON.stringify(source)},\n  "kinds": ${JSON.stringify(kinds)},\n  "definitions": {\n`;
  writeFileSync(join(__dirname, 'schemas', `${name}.json`), `${head}${lines.join(',\n')}\n  }\n}\n`);
};

for (const version of KUBERNETES) {
  const path = 'api/openapi-spec/swagger.json';
  const file = join(folderOf(`k8s.io/kubernetes@${version}`), path);
  const { definitions }: { readonly definitions: Readonly<Record<string, Schema>> } = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  const source = `k8s.io/kubernetes@${version}/${path}`;
  write(`kubernetes-${version}`, source, KINDS, reached(definitions, Object.values(KINDS)));
}

interface Crd {
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: ReadonlyArray<{ readonly schema: { readonly openAPIV3Schema: Schema } }>;
  };
}

const operator = `github.com/prometheus-operator/prometheus-operator@${PROMETHEUS_OPERATOR}`;
const crds = CRDS.map((name): readonly [string, Schema] => {
  const file = join(folderOf(operator), `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`);
  const { spec }: Crd = parse(readFileSync(file, 'utf8'));
  const [first] = spec.versions;
  if (first === undefined) throw new Error(`${file} has no version`);
  return [spec.names.kind, closed(first.schema.openAPIV3Schema)];
});
write(
  `prometheus-operator-${PROMETHEUS_OPERATOR}`,
  `${operator}/example/prometheus-operator-crd`,
  Object.fromEntries(crds.map(([kind]) => [`monitoring.coreos.com/v1 ${kind}`, kind])),
  Object.fromEntries(crds),
);

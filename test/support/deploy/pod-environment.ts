import type { Environment } from '../../../process/settings/setting';
import type { ConfigMap, Deployment } from './manifests';

/** What a Deployment's process finds set around it, `secrets` being what the referenced keys hold. */
export const podEnvironment = (
  { spec }: Deployment,
  maps: ReadonlyArray<ConfigMap>,
  secrets: Readonly<Record<string, string>>,
): Environment => {
  const [{ envFrom, env }] = spec.template.spec.containers;
  const ofMaps = envFrom.map(({ configMapRef: { name } }) => {
    const map = maps.find(({ metadata }) => metadata.name === name);
    if (map === undefined) throw new Error(`there is no ConfigMap ${name}`);
    return map.data;
  });
  const own = env.map((entry): readonly [string, string | undefined] => [
    entry.name,
    'value' in entry ? entry.value : secrets[entry.valueFrom.secretKeyRef.key],
  ]);
  return Object.assign({}, ...ofMaps, Object.fromEntries(own)) as Environment;
};

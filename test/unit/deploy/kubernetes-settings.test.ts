import { describe, expect, test } from 'vitest';
import { apiSettings, workerSettings } from '../../../process/settings';
import { apiOnlySettings, sharedSettings, workerOnlySettings } from '../../../process/settings/settings';
import { generatedMaps, isDeployment, resourcesOf, type Deployment } from '../../support/deploy/manifests';
import { podEnvironment } from '../../support/deploy/pod-environment';

const FOLDERS = ['base', 'overlays/production'];
const maps = generatedMaps(FOLDERS);
const deployments = resourcesOf('base').filter(isDeployment);
const deploymentOf = (name: string): Deployment => {
  const found = deployments.find(({ metadata }) => metadata.name === `point-alarm-${name}`);
  if (found === undefined) throw new Error(`there is no Deployment of the ${name}`);
  return found;
};

const secrets = {
  'redis-url': 'rediss://:secret@redis.example:6380',
  'payload-key': `k1:${Buffer.alloc(32).toString('base64')}`,
  'temporal-api-key': 'key',
  'authorizer-token': 'token',
};
/** Settings that hold what only some may know; the URL of Redis may hold its password. */
const SECRET = ['REDIS_URL', 'PAYLOAD_KEY', 'TEMPORAL_API_KEY', 'AUTHORIZER_TOKEN', 'TEMPORAL_TLS_CLIENT_KEY_DATA'];

const processes = [
  { name: 'api', table: { ...sharedSettings, ...apiOnlySettings }, read: apiSettings },
  { name: 'worker', table: { ...sharedSettings, ...workerOnlySettings }, read: workerSettings },
];

describe.each(processes)('the pods of the $name', ({ name, table, read }) => {
  const deployment = deploymentOf(name);
  const environment = podEnvironment(deployment, maps, secrets);

  test('are set by nothing but settings that the process looks at', () => {
    expect(Object.keys(environment).length).toBeGreaterThan(6);
    expect(Object.keys(environment).filter((variable) => !(variable in table))).toEqual([]);
  });

  test('have valid settings, with all secrets and with the required one alone', () => {
    expect(read(environment)).toMatchObject({ _tag: 'Right' });
    const required = podEnvironment(deployment, maps, { 'redis-url': secrets['redis-url'] });
    expect(read(required)).toMatchObject({ _tag: 'Right' });
  });

  test('get secrets by reference alone', () => {
    const [{ env }] = deployment.spec.template.spec.containers;
    const plain = [
      ...maps.flatMap(({ data }) => Object.keys(data)),
      ...env.flatMap((one) => ('value' in one ? one.name : [])),
    ];
    expect(plain.filter((variable) => SECRET.includes(variable))).toEqual([]);
    const referenced = env.flatMap((one) => ('valueFrom' in one ? one.valueFrom.secretKeyRef : []));
    expect(referenced.map(({ key }) => key).filter((key) => !(key in secrets))).toEqual([]);
    expect(new Set(referenced.map((one) => one.name))).toEqual(new Set(['point-alarm']));
  });
});

test('an optional secret is marked as such', () => {
  const optional = deployments.flatMap(({ spec }) =>
    spec.template.spec.containers[0].env.flatMap((one) =>
      'valueFrom' in one ? [[one.name, one.valueFrom.secretKeyRef.optional ?? false]] : [],
    ),
  );
  expect(new Set(optional.map((pair) => JSON.stringify(pair)))).toEqual(
    new Set(
      [
        ['REDIS_URL', false],
        ['PAYLOAD_KEY', true],
        ['TEMPORAL_API_KEY', true],
        ['AUTHORIZER_TOKEN', true],
      ].map((pair) => JSON.stringify(pair)),
    ),
  );
});

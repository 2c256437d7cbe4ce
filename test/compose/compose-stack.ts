import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../dev/stack/free-ports';
import { onPath } from '../../dev/stack/environment';
import { projectRoot } from '../../dev/stack/project-root';
import type { CalledStack } from '../chaos/stack/stack';
import { tokenSigner, type SignToken } from '../chaos/stack/token-signer';
import { copyProject } from '../e2e/checkout';
import { NODE, shell } from '../support/documents/tier-commands';

/** Names of this tier's own: a stack of yours on the same engine is left alone. */
const PROJECT = 'point-alarm-compose-test';
/** The Redis with TLS that a document calls redis.example. */
export const TLS_REDIS = `${PROJECT}-tls`;
export const IMAGE = 'point-alarm-service:compose-test';
export const IMAGE_BEFORE = `${IMAGE}-before`;

/** The stack of docker-compose.yml, in a copy of the project, on free ports. */
export interface ComposeStack extends CalledStack {
  /** Of Temporal's UI. */
  readonly uiUrl: string;
  /** What `docker compose` with these arguments prints; `before`: with the image of the commit before. */
  readonly compose: (line: string, image?: typeof IMAGE | typeof IMAGE_BEFORE) => Promise<string>;
  /** What the commands of a document print in the copy, at this stack's addresses; `pas` runs in the image, or by npm here. */
  readonly documented: (script: string, pas?: 'in the image' | 'here') => Promise<string>;
  /** Of a service: its container, as `docker inspect` shows it. */
  readonly container: (service: string) => Promise<Container>;
}

export interface Container {
  readonly State: { readonly ExitCode: number; readonly Health?: { readonly Status: string } };
  readonly HostConfig: {
    readonly ReadonlyRootfs: boolean;
    readonly CapDrop: ReadonlyArray<string> | null;
    readonly SecurityOpt: ReadonlyArray<string> | null;
    readonly Init: boolean | null;
  };
  readonly Config: { readonly User: string };
}

/** Docker and its compose, by their versions. Errors: one of them is not there, or no engine answers. */
export const engineOf = (): string => {
  const version = (...args: ReadonlyArray<string>): string =>
    execFileSync('docker', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    if (onPath('docker', process.env) === undefined) throw new Error('there is no docker on PATH');
    const engine = version('version', '--format', '{{.Server.Version}} on {{.Server.Os}}/{{.Server.Arch}}');
    return `Docker ${engine}, ${version('compose', 'version')}`;
  } catch (thrown) {
    throw new Error('npm run test:compose needs a Docker engine that answers, and docker compose', { cause: thrown });
  }
};

/** Builds the images of this commit and of the one before it. The stack is brought up by the commands of the documents. */
export const prepareStack = async (): Promise<ComposeStack> => {
  const { folder, remove } = copyProject(true);
  const port = async (): Promise<string> => String(await freePort());
  const ports = {
    PORT: await port(),
    WORKER_PORT: await port(),
    REDIS_PORT: await port(),
    TEMPORAL_PORT: await port(),
    TEMPORAL_UI_PORT: await port(),
  };
  const prometheus = join(folder, 'deploy/prometheus/prometheus.yml');
  const scraped = readFileSync(prometheus, 'utf8')
    .replace(':3000', `:${ports.PORT}`)
    .replace(':3001', `:${ports.WORKER_PORT}`);
  writeFileSync(prometheus, scraped);
  const prometheusPort = await port();
  const place = { cwd: folder, env: { ...ports, COMPOSE_PROJECT_NAME: PROJECT, NODE } };
  const withImage = (image: string) => ({ ...place, env: { ...place.env, POINT_ALARM_VERSION: image.split(':')[1] } });
  const compose: ComposeStack['compose'] = (line, image = IMAGE) =>
    shell(`docker compose --progress quiet ${line}`, withImage(image));
  const url = `http://127.0.0.1:${ports.PORT}`;
  await compose('--profile tools down --volumes --remove-orphans');
  await shell(`git archive HEAD~1 | docker build --quiet --tag ${IMAGE_BEFORE} -`, { cwd: projectRoot });
  await compose('build --quiet');
  let signer: Promise<SignToken> | undefined;
  /** Signs with the key that the stack made for itself. */
  const signerOf = async (): Promise<SignToken> => {
    const keys = join(folder, 'dev-auth');
    const key = await compose('run --rm --entrypoint cat token /app/.data/dev-auth/private.jwk.json');
    mkdirSync(keys, { recursive: true });
    writeFileSync(join(keys, 'private.jwk.json'), key);
    return tokenSigner(keys);
  };
  return {
    compose,
    documented: (script, pas = 'in the image') =>
      shell(
        script
          .replaceAll('http://127.0.0.1:3000', url)
          .replaceAll('https://api.example', url)
          .replaceAll('POINT_ALARM_TOKEN=...', 'POINT_ALARM_TOKEN=$TOKEN')
          .replaceAll('127.0.0.1:9090', `127.0.0.1:${prometheusPort}`)
          .replaceAll('point-alarm-service_$volume', `${PROJECT}_$volume`)
          .replaceAll('2026-01-31.tar.gz', '$(date +%F).tar.gz')
          .replaceAll('redis.example', TLS_REDIS)
          .replaceAll(/(?:registry\.example\/)?point-alarm-service:(?:local|0\.1\.0)/gu, IMAGE)
          .replaceAll('npm run -s token', 'docker compose run --rm token')
          .replaceAll('npm run -s pas --', pas === 'here' ? '$&' : 'docker compose run --rm pas'),
        withImage(IMAGE),
      ),
    container: async (service) => {
      const id = await compose(`ps --all --quiet ${service}`);
      const [container] = JSON.parse(await shell(`docker inspect ${id}`)) as ReadonlyArray<Container>;
      if (container === undefined) throw new Error(`${service} has no container`);
      return container;
    },
    uiUrl: `http://127.0.0.1:${ports.TEMPORAL_UI_PORT}`,
    apis: [{ url }, { url }],
    redisSettings: { url: `redis://127.0.0.1:${ports.REDIS_PORT}` },
    stream: 'point-alarm-events',
    folder,
    signToken: async (user) => {
      signer ??= signerOf();
      return (await signer)(user);
    },
    stop: async () => {
      await compose('--profile tools down --volumes --remove-orphans');
      await shell(`docker rmi --force ${IMAGE} ${IMAGE_BEFORE}`);
      remove();
    },
  };
};

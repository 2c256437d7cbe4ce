import type { Settings } from './setting';
import { apiOnlySettings, cliOnlySettings, sharedSettings, startOnlySettings, workerOnlySettings } from './settings';

/** Every setting, by its reader. */
const groups: ReadonlyArray<readonly [string, string, Settings]> = [
  ['both', 'The API and the worker', sharedSettings],
  ['API', 'The API', apiOnlySettings],
  ['worker', 'The worker', workerOnlySettings],
  ['`pas`', 'The command `pas`, which takes REDIS_* and EVENT_STREAM* as well', cliOnlySettings],
  ['start', '`npm start`, `npm test` and `npm run bench`', startOnlySettings],
];

/** What a reader wants to set, and the settings that do it; a setting belongs to the first task that it fits. */
const tasks: ReadonlyArray<readonly [string, RegExp]> = [
  ['Command line', /^POINT_ALARM_|^TEMPORAL_CLI$/u],
  ['Addresses, logs, start and stop', /^HOST$|PORT$|^LOG_LEVEL$|^SHUTDOWN_|^DRAIN_/u],
  ['Tokens and permissions', /^AUTH|^GRANTS_|^HIERARCHY_/u],
  ['Rating', /^OVERALL_REGIONS$|^BEARINGS_/u],
  ['Redis', /^REDIS_/u],
  ['Events', /^EVENT_|^BAND_THRESHOLD_NAME$|^FORWARD/u],
  ['Temporal', /^TEMPORAL_|^PAYLOAD_KEY$|^WORKER_(?:DEPLOYMENT|BUILD_ID)$/u],
  ['Reads', /^READS$|^CACHED_NODES$/u],
  ['Rates of users', /^RATE_LIMIT_/u],
  ['Workers', /^MAX_CACHED_WORKFLOWS$|^MAX_CONCURRENT_|POLLERS$|^STICKY_/u],
  ['Limits of requests and connections', /^MAX_|_TIMEOUT_MS$|^CALL_DEADLINE_MS$/u],
];

interface Listed {
  readonly name: string;
  readonly row: string;
}

const listed: ReadonlyArray<Listed> = groups.flatMap(([reader, , settings]) =>
  Object.entries(settings).map(([name, { preset, meaning, unit }]) => ({
    name,
    row: `| \`${name}\` | ${reader} | ${preset === undefined ? '' : `\`${preset}\``} | ${withUnit(meaning, unit)} |`,
  })),
);

const taskOf = ({ name }: Listed): string => {
  const [task] = tasks.find(([, fits]) => fits.test(name)) ?? [];
  if (task === undefined) throw new Error(`${name} belongs to no task: name it in settings-table.ts`);
  return task;
};

/** A table for each task, as docs/configuration.md has them. Errors: a setting belongs to no task. */
export const settingsTables = (): string =>
  tasks
    .map(([task]) => [
      `### ${task}`,
      '',
      '| name | for | default | meaning |',
      '|---|---|---|---|',
      ...listed.filter((setting) => taskOf(setting) === task).map(({ row }) => row),
      '',
    ])
    .flat()
    .join('\n');

/** The file `.env.example`: everything is commented out, with its default. */
export const envExample = (): string =>
  [
    '# Copy this file to .env and remove the # before what you set. `npm start` and `docker compose` read it. An empty value counts as not set.',
    ...groups.flatMap(([, title, settings]) => [
      '',
      `## ${title.replaceAll('`', '')}`,
      ...Object.entries(settings).flatMap(([name, { preset, meaning, unit }]) => [
        `# ${withUnit(meaning, unit).replaceAll('`', '')}`,
        `#${name}=${preset ?? ''}`,
      ]),
    ]),
    '',
  ].join('\n');

function withUnit(meaning: string, unit: string | undefined): string {
  return unit === undefined ? meaning : `${meaning} (${unit})`;
}

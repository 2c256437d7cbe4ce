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

/** The table of the README. */
export const settingsTable = (): string =>
  [
    '| name | for | default | meaning |',
    '|---|---|---|---|',
    ...groups.flatMap(([reader, , settings]) =>
      Object.entries(settings).map(
        ([name, { preset, meaning, unit }]) =>
          `| \`${name}\` | ${reader} | ${preset === undefined ? '' : `\`${preset}\``} | ${withUnit(meaning, unit)} |`,
      ),
    ),
    '',
  ].join('\n');

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

const withUnit = (meaning: string, unit: string | undefined): string =>
  unit === undefined ? meaning : `${meaning} (${unit})`;

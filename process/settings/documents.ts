import { table, tasks, type Process, type Setting } from './table';

/** Who reads settings, as the documents say it; of those that several read, the first counts. */
const readers: ReadonlyArray<
  readonly [name: string, title: string, is: (processes: ReadonlyArray<Process>) => boolean]
> = [
  ['both', 'The API and the worker', (of) => of.includes('api') && of.includes('worker')],
  ['API', 'The API', (of) => of.includes('api')],
  ['worker', 'The worker', (of) => of.includes('worker')],
  ['`pas`', 'The command `pas`, which takes REDIS_* and EVENT_STREAM* as well', (of) => of.includes('pas')],
  ['start', '`npm start`, `npm test` and `npm run bench`', (of) => of.includes('start')],
];

const settings = Object.entries<Setting>(table);

const readerOf = ({ processes }: Setting): string | undefined => readers.find(([, , is]) => is(processes))?.[0];

/** A table for each task, as docs/configuration.md has them. */
export const settingsTables = (): string =>
  tasks
    .flatMap((task) => [
      `### ${task}`,
      '',
      '| name | for | default | meaning |',
      '|---|---|---|---|',
      ...readers.flatMap(([reader]) =>
        settings
          .filter(([, setting]) => setting.task === task && readerOf(setting) === reader)
          .map(
            ([name, setting]) =>
              `| \`${name}\` | ${reader} | ${setting.preset === undefined ? '' : `\`${setting.preset}\``} | ${meaningOf(name, setting)} |`,
          ),
      ),
      '',
    ])
    .join('\n');

/** The file `.env.example`: everything is commented out, with its default. */
export const envExample = (): string =>
  [
    '# Copy this file to .env and remove the # before what you set. `npm start` and `docker compose` read it. An empty value counts as not set.',
    ...readers.flatMap(([reader, title]) => [
      '',
      `## ${title.replaceAll('`', '')}`,
      ...settings
        .filter(([, setting]) => readerOf(setting) === reader)
        .flatMap(([name, setting]) => [
          `# ${meaningOf(name, setting).replaceAll('`', '')}`,
          `#${name}=${setting.preset ?? ''}`,
        ]),
    ]),
    '',
  ].join('\n');

/** The unit of a value, by the end of the setting's name. */
const units = { _MS: 'ms', _BYTES: 'bytes', _LENGTH: 'characters' };

function meaningOf(name: string, { meaning }: Setting): string {
  const unit = Object.entries(units).find(([end]) => name.endsWith(end))?.[1];
  return unit === undefined ? meaning : `${meaning} (${unit})`;
}

import { table, type Process, type Setting } from './table';

/** The groups of processes that read settings. A setting belongs to the first group of which every process reads it. */
const readers: ReadonlyArray<readonly [name: string, title: string, processes: ReadonlyArray<Process>]> = [
  ['both', 'The API and the worker', ['api', 'worker']],
  ['API', 'The API', ['api']],
  ['worker', 'The worker', ['worker']],
  ['`pas`', 'The command `pas`, which takes REDIS_* and EVENT_STREAM* as well', ['pas']],
  ['start', '`npm start`, `npm test` and `npm run bench`', ['start']],
];

const settings = new Map(Object.entries<Setting>(table));

const readerOf = ({ processes }: Setting): string | undefined =>
  readers.find(([, , needed]) => needed.every((one) => processes.includes(one)))?.[0];

/** A row of docs/configuration.md: the name of a setting, its reader and default, and what it means. */
const ROW = /^\| `(\w+)` \|.*\| (.+) \|$/gmu;

/** Fills each setting's reader and default into docs/configuration.md. Errors: a setting has no row, or a row no setting. */
export const settingsTables = (present: string): string => {
  const meanings = meaningsIn(present);
  for (const name of settings.keys()) if (!meanings.has(name)) throw new Error(`no row is about ${name}`);
  return present.replace(ROW, (_, name: string, meaning: string) => {
    const setting = settings.get(name);
    if (setting === undefined) throw new Error(`there is no setting ${name}`);
    const preset = setting.preset === undefined ? '' : `\`${setting.preset}\``;
    return `| \`${name}\` | ${readerOf(setting)} | ${preset} | ${meaning} |`;
  });
};

const meaningsIn = (page: string): ReadonlyMap<string, string> =>
  new Map([...page.matchAll(ROW)].map(([, name = '', meaning = '']) => [name, meaning]));

/** Text without Markdown; `[failover](guarantees.md#failover)` becomes `failover: docs/guarantees.md#failover`. */
const plain = (meaning: string): string =>
  meaning.replaceAll('`', '').replaceAll(/\[([^[\]]+)\]\(([^)]+)\)/gu, '$1: docs/$2');

/** The file `.env.example`, made from docs/configuration.md: each setting with its default, commented out. */
export const envExample = (page: string): string => {
  const meanings = meaningsIn(page);
  return [
    '# Copy this file to .env and remove the # before what you set. `npm start`, `docker compose` and `pas` read it. An empty value counts as not set.',
    ...readers.flatMap(([reader, title]) => [
      '',
      `## ${title.replaceAll('`', '')}`,
      ...[...settings]
        .filter(([, setting]) => readerOf(setting) === reader)
        .flatMap(([name, { preset = '' }]) => [`# ${plain(meanings.get(name) ?? '')}`, `#${name}=${preset}`]),
    ]),
    '',
  ].join('\n');
};

import { InvalidArgumentError, Option, type Command } from 'commander';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { Registry } from 'prom-client';
import { isKeyPart, keepOf } from '../../consumer/keep';
import { hierarchyFile, type NodeTree } from '../../process/files/hierarchy-file';
import { jsonDocument } from '../../process/files/json-document';
import { createLog } from '../../process/log';
import { connectStream } from '../../stream/connection';
import { partitionStreams } from '../../stream/partitions';
import { time, whole } from '../arguments';
import { unusable, type CommandFailure } from '../command-failure';
import type { AboutNode } from '../forward/alertmanager/alert';
import { alertmanagerAt, alertmanagersAt } from '../forward/alertmanager/alertmanager';
import { deliver } from '../forward/alertmanager/deliver';
import { handleEvent } from '../forward/alertmanager/handle-event';
import { foldedTypes, hierarchyLabels } from '../forward/alertmanager/hierarchy-labels';
import type { ExitCode } from '../exit-codes';
import { forwardEvents, type ForwardOptions } from '../forward/forward-events';
import { openJournal } from '../forward/postgres/open-journal';
import { failed, readText, type Act, type Surroundings } from '../surroundings';

/** The commands that carry the stream on: `forward alertmanager`, `forward postgres`. */
export const addForward = (program: Command, act: Act): void => {
  const forward = program
    .command('forward')
    .description('carry the events of the stream on to another system')
    .addHelpText('after', EXAMPLES);
  withCommonOptions(
    forward
      .command('alertmanager')
      .description('send alarms to a Prometheus Alertmanager, which notifies people, as long as they last')
      .requiredOption('--url <url>', 'http://host:9093; repeat it for each member of a cluster', alertmanagerUrls)
      .option('--hierarchy <file>', 'the hierarchy of nodes, whose names become labels')
      .option('--link <template>', 'the address of the page of {node}', LINK)
      .addOption(
        new Option('--resend <time>', 'how often alarms that last are sent again')
          .argParser(time)
          .default(60_000, '1m'),
      ),
    'point-alarm-alerts',
  )
    .addHelpText('after', '\nExample:\n  $ pas forward alertmanager --url http://127.0.0.1:9093 --catch-up')
    .action((options: AlertmanagerOptions) => act((surroundings) => forwardToAlertmanager(surroundings, options)));
  withCommonOptions(
    forward
      .command('postgres')
      .description('keep an alarm journal in PostgreSQL: each status change of each part once, and each threshold')
      .requiredOption('--url <url>', 'postgres://user:password@host:port/database', postgresUrl),
    'point-alarm-journal',
  )
    .addHelpText(
      'after',
      '\nExample:\n  $ pas forward postgres --url postgres://journal@127.0.0.1:5432/plant --catch-up',
    )
    .action((options: PostgresOptions) => act((surroundings) => forwardToPostgres(surroundings, options)));
};

const EXAMPLES = `
Examples:
  $ pas forward alertmanager --url http://127.0.0.1:9093
  $ pas forward postgres --url postgres://journal@127.0.0.1:5432/plant`;

const withCommonOptions = (command: Command, group: string): Command =>
  command
    .addOption(
      new Option('--group <name>', 'the consumer group; processes of one group share the events')
        .argParser(groupName)
        .default(group),
    )
    .addOption(
      new Option('--claim-after <time>', 'take over events of a process that is silent for so long')
        .argParser(time)
        .default(30_000, '30s'),
    )
    .option('--metrics-port <port>', 'serve /metrics and /healthz there', whole(1, 65_535))
    .option('--catch-up', 'end once all events are handled', false);

const groupName = (text: string): string => {
  if (!isKeyPart(text)) throw new InvalidArgumentError('A group has a name without colons.');
  return text;
};

const LINK = 'http://127.0.0.1:8233/namespaces/default/workflows/point-alarm-{node}';

interface AlertmanagerOptions extends ForwardOptions {
  readonly url: ReadonlyArray<URL>;
  readonly hierarchy?: string;
  readonly link: string;
  readonly resend: number;
}

const forwardToAlertmanager = async (surroundings: Surroundings, options: AlertmanagerOptions): Promise<ExitCode> => {
  const { url: urls, hierarchy: file, link, resend: resendMs, group } = options;
  const { settings, report } = surroundings;
  if (!URL.canParse(link.replaceAll('{node}', 'node')) || !link.includes('{node}'))
    return failed(surroundings, unusable('--link must be a URL that holds {node}'));
  const tree =
    file === undefined ? E.right<CommandFailure, NodeTree>(new Map()) : await readHierarchy(surroundings, file);
  if (E.isLeft(tree)) return failed(surroundings, tree.left);
  const alertmanagers = alertmanagersAt(urls, report);
  const checked = await alertmanagers.check();
  if (E.isLeft(checked)) return failed(surroundings, checked.left);
  const log = createLog({ level: 'silent', process: 'pas' });
  const links = connectStream({ ...settings.redis, ...settings, log, name: group });
  const about = (nodeId: string): AboutNode => ({
    labels: hierarchyLabels(tree.right, nodeId),
    link: link.replaceAll('{node}', nodeId),
  });
  try {
    return await forwardEvents(surroundings, {
      ...options,
      to: urls.map(alertmanagerAt).join(', '),
      handle: handleEvent,
      beside: async (signal) => {
        const shared = { about, send: alertmanagers.send, resendMs, report, signal };
        await Promise.all(
          partitionStreams(settings).map((stream, at) =>
            deliver({ ...shared, link: links.links[at] ?? links.root, keep: keepOf(stream, group) }),
          ),
        );
      },
      registry: new Registry(),
    });
  } finally {
    await links.close();
  }
};

const readHierarchy = async (surroundings: Surroundings, file: string): Promise<E.Either<CommandFailure, NodeTree>> =>
  pipe(
    await readText(surroundings, file),
    E.chain((text) =>
      pipe(
        jsonDocument(hierarchyFile)(text),
        E.chain((tree) => {
          const folded = foldedTypes(tree);
          return folded.length === 0 ? E.right(tree) : E.left(`cannot be labels: ${folded.join('; ')}`);
        }),
        E.mapLeft((fault) => unusable(`${file} ${fault}`)),
      ),
    ),
  );

interface PostgresOptions extends ForwardOptions {
  readonly url: URL;
}

const forwardToPostgres = async (surroundings: Surroundings, options: PostgresOptions): Promise<ExitCode> => {
  const { url } = options;
  const at = `PostgreSQL at ${url.host}${url.pathname}`;
  const journal = await openJournal(url.href, at);
  if (E.isLeft(journal)) return failed(surroundings, journal.left);
  const { migrated, write, close } = journal.right;
  for (const step of migrated) surroundings.report(`added to the journal: ${step}`);
  try {
    return await forwardEvents(surroundings, {
      ...options,
      to: at,
      handle: async (event) => {
        await write(event);
        return undefined;
      },
      registry: new Registry(),
    });
  } finally {
    await close();
  }
};

const urlOf =
  (what: string, ...protocols: ReadonlyArray<string>) =>
  (text: string): URL => {
    if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol))
      throw new InvalidArgumentError(
        `It is a URL of ${what} that begins with ${protocols.map((one) => `${one}//`).join(' or ')}.`,
      );
    return new URL(text);
  };

/** One Alertmanager more. */
const alertmanagerUrls = (text: string, before: ReadonlyArray<URL> = []): ReadonlyArray<URL> => [
  ...before,
  urlOf('an Alertmanager', 'http:', 'https:')(text),
];

const postgresUrl = urlOf('a PostgreSQL database', 'postgres:', 'postgresql:');

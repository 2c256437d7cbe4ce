import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { hierarchyFile, pathToRoot, type NodeTree } from '../../process/files/hierarchy-file';
import { alertmanagerUrls, postgresAt, postgresUrl, parseDuration, timeFrom } from '../arguments';
import { exitCodes, printable, writeOrFail, type ExitCode } from '../failure';
import { readAcknowledgements } from '../forward/alertmanager/acknowledgements';
import { storeAcknowledgements } from '../forward/postgres/acknowledgements';
import { readMonth, type Month } from '../forward/postgres/month';
import { readConfiguration } from '../input';
import { monthReport } from '../journal/month-report';
import { reportPage } from '../journal/report-page';
import type { Act, CommandContext } from '../command-context';
import { tableOf } from '../table';

export const addJournal = (program: Command, act: Act): void => {
  const journal = program
    .command('journal')
    .description('ask the alarm journal, which pas forward postgres keeps')
    .addHelpText('after', `\nExamples:\n${REPORT}\n${ACKNOWLEDGEMENTS}`);
  journal
    .command('report')
    .description('print what the alarms of a month were like, after ISA-18.2 and EEMUA 191')
    .requiredOption('--url <url>', POSTGRES, postgresUrl)
    .requiredOption('--month <month>', 'the month in UTC, such as 2026-10', monthOf)
    .option('--html <file>', 'write it there as one page with pictures, too')
    .option('--hierarchy <file>', 'the hierarchy of nodes, whose names are shown')
    .addOption(
      new Option('--silent-after <time>', 'show nodes that sent no measurement for so long')
        .argParser(timeFrom(1_000))
        .default(parseDuration('1d'), '1d'),
    )
    .addHelpText('after', `\nExample:\n${REPORT}`)
    .action(act(reportMonth));
  journal
    .command('acknowledgements')
    .description('copy the acknowledgements from Alertmanager, which forgets them, into the journal')
    .requiredOption('--url <url>', POSTGRES, postgresUrl)
    .requiredOption('--alertmanager <url>', ALERTMANAGER, alertmanagerUrls)
    .addHelpText('after', `\nExample:\n${ACKNOWLEDGEMENTS}`)
    .action(act(copyAcknowledgements));
};

const ALERTMANAGER = 'http://host:9093; repeat it for each member of a cluster';
const POSTGRES = 'postgres://user:password@host:port/database';
const REPORT =
  '  $ pas journal report --url postgres://journal@127.0.0.1:5432/plant --month 2026-10 --html october.html';
const ACKNOWLEDGEMENTS =
  '  $ pas journal acknowledgements --url postgres://journal@127.0.0.1:5432/plant --alertmanager http://127.0.0.1:9093';

const MONTH = /^[1-9]\d{3}-(?:0[1-9]|1[0-2])$/u;

const monthOf = (name: string): Month => {
  if (!MONTH.test(name)) throw new InvalidArgumentError('A month is a year and a month, such as 2026-10.');
  const since = new Date(`${name}-01T00:00:00Z`);
  return { name, since, until: new Date(Date.UTC(since.getUTCFullYear(), since.getUTCMonth() + 1)) };
};

interface ReportOptions {
  readonly url: URL;
  readonly month: Month;
  readonly html?: string;
  readonly hierarchy?: string;
  readonly silentAfter: number;
}

const reportMonth = async (context: CommandContext, options: ReportOptions): Promise<ExitCode> => {
  const { url, month, html, hierarchy, silentAfter } = options;
  const { print, interrupted, folder } = context;
  const tree: NodeTree =
    hierarchy === undefined ? new Map() : await readConfiguration(context, hierarchy, hierarchyFile);
  const named = (node: string): string => printable(pathOf(tree, node).join(' / '));
  const figures = await readMonth(url.href, postgresAt(url), month, silentAfter, interrupted);
  if (html !== undefined) writeOrFail(html, () => writeFileSync(resolve(folder, html), reportPage(figures, named)));
  for (const { title, about, heads, rows } of monthReport(figures, named))
    [`${title}: ${about}`, ...tableOf([heads, ...rows]), ''].forEach(print);
  return exitCodes.done;
};

/** The names of a node and its ancestors in the hierarchy, the root first. Where a name is missing, the id takes its place. */
const pathOf = (tree: NodeTree, node: string): ReadonlyArray<string> => {
  const names = pathToRoot(tree, node).map(({ id, name = id }) => name);
  return names.length === 0 ? [node] : names.reverse();
};

const copyAcknowledgements = async (
  { print, interrupted }: CommandContext,
  { url, alertmanager }: { readonly url: URL; readonly alertmanager: ReadonlyArray<URL> },
): Promise<ExitCode> => {
  const { acknowledgements, others } = await readAcknowledgements(alertmanager, interrupted);
  const added = await storeAcknowledgements(url.href, postgresAt(url), acknowledgements, interrupted);
  print(`${acknowledgements.length} acknowledgements, ${added} of them new or changed; ${others} other silences`);
  return exitCodes.done;
};

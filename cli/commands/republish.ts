import { resolve } from 'node:path';
import type { Command } from 'commander';
import * as E from 'fp-ts/Either';
import { reasonOf } from '../../process/reason-of';
import type { Status } from '../../workflows/domain/alarm/status';
import { nodes as nodeArguments, statuses, whole } from '../arguments';
import { notReachable, unusable } from '../command-failure';
import { exitCodes, type ExitCode } from '../exit-codes';
import { openJournal, removeJournal, type Journal } from '../journal';
import { readNodes } from '../node-list';
import { connectNodes, type NodesInTemporal } from '../republish/nodes-in-temporal';
import { republishNodes, type Republished } from '../republish/republish-nodes';
import { failed, type Act, type Surroundings } from '../surroundings';
import { showProgress } from '../thresholds/progress';

interface RepublishOptions {
  readonly nodesFrom?: string;
  readonly all: boolean;
  readonly status?: ReadonlyArray<Status>;
  readonly rate: number;
  readonly atOnce: number;
  readonly patience: number;
  readonly journal: string;
  readonly again: boolean;
  readonly user: string;
}

export const addRepublish = (program: Command, act: Act): void => {
  program
    .command('republish')
    .description('have nodes publish their threshold and status again; a repeat goes on where the last one stopped')
    .argument('[node...]', 'the nodes', nodeArguments)
    .option('--nodes-from <file>', 'a file with one node per line; - reads standard input')
    .option('--all', 'every node that Temporal has', false)
    .option('--status <status>', 'every node that has this status; may be repeated', statuses)
    .option('--rate <nodes>', 'nodes per second', whole(1, 10_000), 50)
    .option('--at-once <count>', 'nodes in flight', whole(1, 256), 16)
    .option('--patience <seconds>', 'how long a node is asked again while it does not answer', whole(0, 86_400), 60)
    .option('--journal <file>', 'what is done; removed at the end', 'republish.journal')
    .option('--again', 'forget the journal and ask every node anew', false)
    .option('--user <id>', 'the user of the events', 'pas')
    .addHelpText('after', '\nExamples:\n  $ pas republish --all\n  $ pas republish --status ALERT --status DANGER')
    .action((given: ReadonlyArray<string> | undefined, options: RepublishOptions) =>
      act((surroundings) => republish(surroundings, given ?? [], options)),
    );
};

const republish = async (
  surroundings: Surroundings,
  given: ReadonlyArray<string>,
  options: RepublishOptions,
): Promise<ExitCode> => {
  const listed = options.nodesFrom === undefined ? E.right([]) : await readNodes(surroundings, options.nodesFrom);
  if (E.isLeft(listed)) return failed(surroundings, listed.left);
  const named = [...new Set([...given, ...listed.right])];
  const { all, status = [] } = options;
  if ([named.length > 0, all, status.length > 0].filter(Boolean).length !== 1)
    return failed(surroundings, unusable('choose nodes in one way: by id or --nodes-from, by --all, or by --status'));
  const file = resolve(surroundings.folder, options.journal);
  const journal = openJournal('republish', file, options.again);
  const settings = surroundings.temporal();
  const unreachable = (thrown: unknown): ExitCode =>
    failed(surroundings, notReachable(`Temporal at ${settings.connection.address}`, reasonOf(thrown)));
  const nodes = await connectNodes(settings).catch(unreachable);
  if (typeof nodes === 'number') return nodes;
  try {
    const wanted = named.length > 0 ? named : await nodes.list(status).catch(unreachable);
    if (typeof wanted === 'number') return wanted;
    const counts = await send(surroundings, nodes, wanted, journal, options);
    return conclude(surroundings, counts, wanted.length, file);
  } finally {
    await nodes.close();
  }
};

const send = async (
  surroundings: Surroundings,
  { republish: ask }: NodesInTemporal,
  wanted: ReadonlyArray<string>,
  journal: Journal,
  { rate, atOnce, patience, user: userId }: RepublishOptions,
): Promise<Republished> => {
  const progress = showProgress(surroundings, wanted.length);
  const counts = await republishNodes(wanted, {
    ...{ republish: ask, journal, userId, rate, atOnce, patienceMs: patience * 1_000 },
    signal: surroundings.interrupted,
    onNotFound: (nodeId) => {
      progress.report(`${nodeId}: Temporal has no such node`);
    },
    onProgress: ({ publish, haveNothing, before, notFound }) => {
      progress.show({ set: publish + haveNothing, setBefore: before, failed: notFound });
    },
  });
  progress.stop();
  return counts;
};

const conclude = (
  surroundings: Surroundings,
  { publish, haveNothing, before, notFound, stoppedBy }: Republished,
  total: number,
  journal: string,
): ExitCode => {
  const left = total - publish - haveNothing - before - notFound;
  const counts = [
    `${publish} publish`,
    `${haveNothing} have nothing to publish`,
    `${before} done before`,
    `${notFound} not found`,
    ...(left > 0 ? [`${left} left`] : []),
  ];
  surroundings.print(counts.join(', '));
  if (left === 0) {
    removeJournal(journal);
    return notFound > 0 ? exitCodes.someFailed : exitCodes.done;
  }
  surroundings.report('stopped early; the same command goes on from here');
  return stoppedBy === undefined ? exitCodes.interrupted : failed(surroundings, stoppedBy);
};

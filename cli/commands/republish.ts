import { resolve } from 'node:path';
import type { Command } from 'commander';
import * as E from 'fp-ts/Either';
import { backoffMs, pause } from '../../process/backoff';
import { reasonOf } from '../../process/reason-of';
import type { Status } from '../../workflows/domain/alarm/status';
import { nodes as nodeArguments, statuses, parseWholeNumber } from '../arguments';
import { CommandFailure, notReachable, unlessInterrupted, unusable, type ExitCode } from '../failure';
import { namedNodes } from '../input';
import { openJournal, removeJournal, runLongWork, type ItemOutcome, type Journal } from '../long-work';
import type { Act, CommandContext } from '../command-context';
import { connectTemporal } from '../temporal';

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
    .option('--rate <nodes>', 'nodes per second', parseWholeNumber(1, 10_000), 50)
    .option('--at-once <count>', 'nodes in flight', parseWholeNumber(1, 256), 16)
    .option(
      '--patience <seconds>',
      'how long nodes are asked again while none answers',
      parseWholeNumber(0, 86_400),
      60,
    )
    .option('--journal <file>', 'what is done; removed at the end', 'republish.journal')
    .option('--again', 'forget the journal and ask every node anew', false)
    .option('--user <id>', 'the user of the events', 'pas')
    .addHelpText('after', '\nExamples:\n  $ pas republish --all\n  $ pas republish --status ALERT --status DANGER')
    .action(act(republish));
};

const PAUSES = { firstMs: 200, longestMs: 5_000 };

/** Makes each node publish its threshold and status again, except the nodes that the journal lists as done. */
const republish = async (
  context: CommandContext,
  given: ReadonlyArray<string> | undefined,
  options: RepublishOptions,
): Promise<ExitCode> => {
  const { folder } = context;
  const named = await namedNodes(context, given, options.nodesFrom);
  const { all, status = [] } = options;
  if ([named.length > 0, all, status.length > 0].filter(Boolean).length !== 1)
    throw unusable('choose nodes in one way: by id or --nodes-from, by --all, or by --status');
  const file = resolve(folder, options.journal);
  const journal = await openJournal('republish', file, options.again);
  try {
    return await publishAgain(context, named, options, file, journal);
  } finally {
    journal.close();
  }
};

const publishAgain = async (
  context: CommandContext,
  named: ReadonlyArray<string>,
  { status = [], user, patience, atOnce, rate }: RepublishOptions,
  file: string,
  journal: Journal,
): Promise<ExitCode> => {
  const { interrupted: signal } = context;
  const settings = context.temporal();
  const reached = <A>(call: Promise<A>): Promise<A> =>
    unlessInterrupted(signal, call).catch((thrown: unknown) => {
      if (thrown instanceof CommandFailure) throw thrown;
      throw notReachable(`Temporal at ${settings.connection.address}`, reasonOf(thrown));
    });
  const temporal = await reached(connectTemporal(settings));
  try {
    const wanted = named.length > 0 ? named : await reached(temporal.list(status));
    const turn = paced(rate, signal);
    let haveNothing = 0;
    let answeredAt = 0;
    const ask = (nodeId: string) =>
      unlessInterrupted(signal, temporal.republish(nodeId, user, `republish-${journal.id}`)).catch(unanswered);
    const perform =
      (report: (line: string) => void) =>
      async (nodeId: string, mayContinue: () => boolean): Promise<ItemOutcome> => {
        if (journal.last(nodeId) !== undefined) return 'before';
        await turn();
        if (!mayContinue()) return 'left';
        const askedAt = Date.now();
        // Give up only when no node has answered for `patience` seconds: restarted workers must first replay every node.
        const mayAnswer = (): boolean => Date.now() < Math.max(askedAt, answeredAt) + patience * 1_000;
        let answer = await ask(nodeId);
        for (let tries = 0; E.isLeft(answer) && !signal.aborted && mayAnswer(); tries += 1) {
          await pause(backoffMs(PAUSES, tries), signal);
          answer = await ask(nodeId);
        }
        if (E.isLeft(answer)) {
          if (signal.aborted) return 'left';
          throw notReachable('A node', `${nodeId}: ${answer.left}`);
        }
        answeredAt = Date.now();
        if (answer.right === 'not found') {
          report(`${nodeId}: Temporal has no such node`);
          return 'failed';
        }
        if (answer.right === 'has nothing') haveNothing += 1;
        journal.add({ node: nodeId, key: nodeId });
        return 'done';
      };
    return await runLongWork(context, wanted, atOnce, perform, ({ done, before, failed }, left) => {
      if (left === 0) removeJournal(file);
      const nothing = `${haveNothing} have nothing to publish`;
      return { counts: [`${done - haveNothing} publish`, nothing, `${before} done before`, `${failed} not found`] };
    });
  } finally {
    await temporal.close();
  }
};

/** The result if Ctrl-C comes before the answer of a node. A repeat of the command sends the same update again. */
const unanswered = (thrown: unknown): E.Either<string, never> => {
  if (!(thrown instanceof CommandFailure)) throw thrown;
  return E.left(thrown.message);
};

/** Returns a function that waits until the next request may be sent, so that at most `rate` requests begin per second. */
const paced = (rate: number, signal: AbortSignal): (() => Promise<void>) => {
  let next = performance.now();
  return async () => {
    const at = Math.max(next, performance.now());
    next = at + 1_000 / rate;
    const ms = at - performance.now();
    if (ms >= 1) await pause(ms, signal);
  };
};

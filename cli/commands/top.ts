import type { Command } from 'commander';
import * as E from 'fp-ts/Either';
import type { AlarmStatus } from '../../client';
import { pause } from '../../process/backoff';
import { apiOf } from '../api-of';
import { whole } from '../arguments';
import { afterEvents, type Board, type BoardRow } from '../events/board';
import { boardLines } from '../events/board-view';
import { followStream } from '../events/follow-stream';
import { enterScreen } from '../events/live-screen';
import { exitCodes, type ExitCode } from '../exit-codes';
import { readNodes } from '../node-list';
import { readStatuses } from '../read-statuses';
import { partsLine } from '../status-words';
import { type Act, failed, type Surroundings } from '../surroundings';
import type { CommandFailure } from '../command-failure';

interface TopOptions {
  readonly nodesFrom?: string;
  readonly last: number;
  readonly rows?: number;
  readonly refresh: number;
  readonly once: boolean;
}

export const addTop = (program: Command, act: Act): void => {
  program
    .command('top')
    .description('show the worst nodes, until Ctrl-C')
    .option('--last <count>', 'begin with so many of the newest entries of the stream', whole(1, 10_000_000), 10_000)
    .option('--nodes-from <file>', 'ask the API for these nodes instead, one per line; - reads standard input')
    .option('--rows <count>', 'nodes to show; else what the terminal holds', whole(1, 100_000))
    .option('--refresh <seconds>', 'how often', whole(1, 3_600), 2)
    .option('--once', 'print it once and end, as it does where there is no terminal', false)
    .addHelpText('after', '\nExample:\n  $ pas top --once')
    .action((options: TopOptions) => act((surroundings) => top(surroundings, options)));
};

const PRINTED_ROWS = 20;
const WIDEST = 10_000;
/** Lines above the nodes. */
const HEAD = 3;

/** Draws a board when it is due; false ends the command. */
type Show = (board: Board) => boolean;

const top = async (surroundings: Surroundings, options: TopOptions): Promise<ExitCode> => {
  const { screen, colors, print } = surroundings;
  const { rows, once, nodesFrom, refresh } = options;
  if (once || screen === undefined) {
    const shown = await run(surroundings, { ...options, once: true }, (board) => {
      boardLines(board, colors, { rows: rows ?? PRINTED_ROWS, columns: WIDEST }).forEach(print);
      return false;
    });
    return E.isLeft(shown) ? failed(surroundings, shown.left) : exitCodes.done;
  }
  const live = enterScreen(screen);
  const shown = await run(surroundings, options, (board) => {
    const size = screen.size();
    live.show([
      ...boardLines(board, colors, {
        rows: Math.max(1, Math.min(rows ?? WIDEST, size.rows - HEAD)),
        columns: size.columns,
      }),
      colors.dim(`every ${refresh} s from ${nodesFrom ?? surroundings.settings.stream}, Ctrl-C ends it`),
    ]);
    return true;
  }).finally(live.leave);
  return E.isLeft(shown) ? failed(surroundings, shown.left) : exitCodes.done;
};

const run = (surroundings: Surroundings, options: TopOptions, show: Show): Promise<E.Either<CommandFailure, void>> =>
  options.nodesFrom === undefined
    ? fromStream(surroundings, options, show)
    : fromApi(surroundings, options.nodesFrom, options, show);

/** Shows the state of the newest entries at once, then updates. */
const fromStream = async (
  { settings, interrupted: signal }: Surroundings,
  { last, refresh, once }: TopOptions,
  show: Show,
): Promise<E.Either<CommandFailure, void>> => {
  let board: Board = new Map();
  let shownAt = -Infinity;
  return followStream({
    redis: settings.redis,
    stream: settings.stream,
    partitions: settings.partitions,
    from: { _tag: 'Newest', count: last },
    signal,
    report: () => undefined, // the screen is not for lines
    onEntries: (entries, isCurrent) => {
      board = afterEvents(
        board,
        entries.flatMap(({ event }) => (E.isRight(event) ? [event.right] : [])),
      );
      if (once ? !isCurrent : performance.now() - shownAt < refresh * 1_000) return true;
      shownAt = performance.now();
      return show(board);
    },
  });
};

const fromApi = async (
  surroundings: Surroundings,
  file: string,
  { refresh }: TopOptions,
  show: Show,
): Promise<E.Either<CommandFailure, void>> => {
  const nodes = await readNodes(surroundings, file);
  if (E.isLeft(nodes)) return nodes;
  const { interrupted } = surroundings;
  const isEnded = (): boolean => interrupted.aborted;
  while (!isEnded()) {
    const board = new Map<string, BoardRow>();
    for (const [nodeId, answer] of await readStatuses(apiOf(surroundings), nodes.right)) {
      if (E.isLeft(answer)) return isEnded() ? E.right(undefined) : answer;
      board.set(nodeId, rowOf(answer.right));
    }
    if (!show(board)) break;
    await pause(refresh * 1_000, interrupted);
  }
  return E.right(undefined);
};

const rowOf = (shown: AlarmStatus): BoardRow => ({
  nodeId: shown.nodeId,
  status: shown.status,
  updatedAt: shown.updatedAt,
  parts: partsLine(shown),
});

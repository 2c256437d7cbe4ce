import type { Command } from 'commander';
import * as A from 'fp-ts/Array';
import * as E from 'fp-ts/Either';
import type { Colors } from 'picocolors/types';
import type { AlarmStatus } from '../../client';
import { pause } from '../../process/backoff';
import { readEntry, type Entry } from '../../stream/entry';
import { countsLine, partsLine } from '../../workflows/domain/alarm/alarm-lines';
import { statusNames } from '../../workflows/domain/alarm/status';
import type { StreamEvent } from '../../workflows/domain/node/events';
import { apiOf, readStatuses } from '../api-calls';
import { whole } from '../arguments';
import { followStream } from '../follow-stream';
import { exitCodes, type ExitCode } from '../failure';
import { readNodes } from '../input';
import { whileRead, type Act, type Screen, type Surroundings } from '../surroundings';
import { paintedTable } from '../table';

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
    .action(act(top));
};

const PRINTED_ROWS = 20;
const WIDEST = 10_000;
const HEAD = 3;

const top = async (surroundings: Surroundings, options: TopOptions): Promise<ExitCode> => {
  const { screen, colors, print, settings, report } = surroundings;
  const { rows, once, nodesFrom, refresh } = options;
  const boards = nodesFrom === undefined ? boardsOfStream : boardsOfNodes(nodesFrom);
  if (once || screen === undefined) {
    for await (const { board, notes } of boards(whileRead(surroundings), { ...options, once: true })) {
      boardLines(board, colors, { rows: rows ?? PRINTED_ROWS, columns: WIDEST }).forEach(print);
      notes.forEach(report);
      break;
    }
    return exitCodes.done;
  }
  const live = enterScreen(screen);
  try {
    for await (const { board, notes } of boards(whileRead(surroundings), options)) {
      const size = screen.size();
      const room = { rows: Math.max(1, Math.min(rows ?? WIDEST, size.rows - HEAD)), columns: size.columns };
      const foot = `every ${refresh} s from ${nodesFrom ?? settings.EVENT_STREAM}, Ctrl-C ends it`;
      live.show([...boardLines(board, colors, room), colors.dim([foot, ...notes].join('; ').slice(0, size.columns))]);
    }
  } finally {
    live.leave();
  }
  return exitCodes.done;
};

/** A board, and what its reader should know of it. */
interface Shown {
  readonly board: Board;
  readonly notes: ReadonlyArray<string>;
}

/** The board of the newest entries at once, newest first, then as it changes, and at once when Redis answers no more, or again. */
async function* boardsOfStream(surroundings: Surroundings, { last, refresh, once }: TopOptions): AsyncGenerator<Shown> {
  const board = new Map<string, BoardRow>();
  let shownAt = -Infinity;
  let lostAt: Date | undefined;
  const report = (): void => undefined; // the screen is not for lines
  for await (const followed of followStream(surroundings, { newestFirst: last }, report)) {
    const { older, entries, isCurrent, isUnavailable, hasOlder } = followed;
    for (const event of eventsIn(older)) if (!board.has(event.aggregateId)) putEvent(board, event);
    for (const event of eventsIn(entries)) putEvent(board, event);
    const hasTurned = isUnavailable !== (lostAt !== undefined);
    if (hasTurned) lostAt = isUnavailable ? new Date() : undefined;
    if (once ? !isCurrent : !hasTurned && performance.now() - shownAt < refresh * 1_000) continue;
    shownAt = performance.now();
    yield {
      board,
      notes: [
        ...(lostAt === undefined ? [] : [`as of ${lostAt.toISOString()}: Redis does not answer`]),
        ...(hasOlder ? [`of the newest ${last} entries; the stream has older ones`] : []),
      ],
    };
  }
}

const eventsIn = (entries: ReadonlyArray<Entry>): ReadonlyArray<StreamEvent> =>
  A.rights(entries.map(({ fields }) => readEntry(fields)));

const boardsOfNodes = (file: string) =>
  async function* (surroundings: Surroundings, { refresh }: TopOptions): AsyncGenerator<Shown> {
    const [nodes, api] = [await readNodes(surroundings, file), apiOf(surroundings)];
    const { interrupted } = surroundings;
    const isEnded = (): boolean => interrupted.aborted;
    while (!isEnded()) {
      const board = new Map<string, BoardRow>();
      for (const [nodeId, answer] of await readStatuses(api, nodes)) {
        if (E.isRight(answer)) board.set(nodeId, { ...answer.right, parts: partsLine(answer.right) });
        else if (isEnded()) return;
        else throw answer.left;
      }
      yield { board, notes: [] };
      await pause(refresh * 1_000, interrupted);
    }
  };

interface BoardRow extends Pick<AlarmStatus, 'nodeId' | 'status' | 'updatedAt'> {
  readonly parts: string;
}

/** The last known state of each node, by its id. */
export type Board = ReadonlyMap<string, BoardRow>;

/** Puts what an event says into the board: each status event holds all of its node. */
export const putEvent = (board: Map<string, BoardRow>, event: StreamEvent): void => {
  if (event.type !== 'PointAlarmStatusEvent') return;
  const { aggregateId: nodeId, alarmStatus: status, updatedAt } = event;
  board.set(nodeId, { nodeId, status, updatedAt, parts: partsLine(event) });
};

/**
 * The board as lines: the number of nodes, in all and per status, then a table of at most `rows`, cut to `columns`. The worst
 * nodes come first; of one status, those updated last.
 */
export const boardLines = (
  board: Board,
  colors: Colors,
  { rows, columns }: { readonly rows: number; readonly columns: number },
): ReadonlyArray<string> => {
  const all = [...board.values()];
  const counts = countsLine(all.map(({ status }) => status));
  const worst = all
    .sort(
      (one, other) =>
        other.status - one.status || other.updatedAt - one.updatedAt || (one.nodeId < other.nodeId ? -1 : 1),
    )
    .slice(0, rows);
  const shown = worst.map(({ status, nodeId, updatedAt, parts }) => ({
    status,
    cells: [statusNames[status], nodeId, new Date(updatedAt).toISOString(), parts],
  }));
  const nodes = `${board.size} ${board.size === 1 ? 'node' : 'nodes'}${counts === '' ? '' : `: ${counts}`}`;
  return [nodes.slice(0, columns), ...paintedTable(colors, ['STATUS', 'NODE', 'UPDATED', 'PARTS'], shown, columns)];
};

const ESC = '\u001b[';

/** A screen of its own, which leaves what stood in the terminal as it was. */
const enterScreen = (screen: Screen) => {
  screen.write(`${ESC}?1049h${ESC}?25l`);
  const restore = (): void => screen.write(`${ESC}?25h${ESC}?1049l`);
  process.once('exit', restore); // a second Ctrl-C ends the process at once
  return {
    show: (lines: ReadonlyArray<string>): void => {
      screen.write(`${ESC}H${lines.map((line) => `${line}${ESC}K`).join('\n')}${ESC}J`);
    },
    leave: (): void => {
      process.off('exit', restore);
      restore();
    },
  };
};

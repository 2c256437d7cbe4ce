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
import { alertmanagerUrls, parseWholeNumber } from '../arguments';
import { changesCell, withChange } from '../changes';
import { followStream } from '../follow-stream';
import { CommandFailure, exitCodes, type ExitCode } from '../failure';
import { acknowledgedCell, readLasting, type Acknowledgement } from '../forward/alertmanager/acknowledgements';
import { readNodes } from '../input';
import { createThrottle } from '../long-work';
import { untilOutputCloses, type Act, type Screen, type CommandContext } from '../command-context';
import { paintedTable } from '../table';

interface TopOptions {
  readonly nodesFrom?: string;
  readonly last: number;
  readonly alertmanager?: ReadonlyArray<URL>;
  readonly rows?: number;
  readonly refresh: number;
  readonly once: boolean;
}

export const addTop = (program: Command, act: Act): void => {
  program
    .command('top')
    .description('show the worst nodes, until Ctrl-C')
    .option(
      '--last <count>',
      'begin with so many of the newest entries of the stream',
      parseWholeNumber(1, 10_000_000),
      10_000,
    )
    .option('--nodes-from <file>', 'ask the API for these nodes instead, one per line; - reads standard input')
    .option(
      '--alertmanager <url>',
      'also who looks after them; repeat it for each member of a cluster',
      alertmanagerUrls,
    )
    .option('--rows <count>', 'nodes to show; else what the terminal holds', parseWholeNumber(1, 100_000))
    .option('--refresh <seconds>', 'how often', parseWholeNumber(1, 3_600), 2)
    .option('--once', 'print it once and end, as it does where there is no terminal', false)
    .addHelpText('after', '\nExample:\n  $ pas top --once')
    .action(act(top));
};

const PRINTED_ROWS = 20;
const WIDEST = 10_000;
const HEAD = 3;

const top = async (context: CommandContext, options: TopOptions): Promise<ExitCode> => {
  const { screen, colors, print, settings, report } = context;
  const { rows, once, nodesFrom, refresh } = options;
  const boards = nodesFrom === undefined ? boardsOfStream : boardsOfNodes(nodesFrom);
  const watched = watchAcknowledgements(context, options);
  if (once || screen === undefined) {
    for await (const { board, notes } of boards(untilOutputCloses(context), { ...options, once: true })) {
      await watched.ask();
      const room = { rows: rows ?? PRINTED_ROWS, columns: WIDEST };
      boardLines(board, colors, room, watched.lasting()).forEach(print);
      [...notes, ...watched.notes()].forEach(report);
      break;
    }
    return exitCodes.done;
  }
  const isDue = createThrottle(ASKED_EACH_MS);
  void watched.ask();
  const live = enterScreen(screen);
  try {
    for await (const { board, notes } of boards(untilOutputCloses(context), options)) {
      if (isDue()) void watched.ask();
      const size = screen.size();
      const room = { rows: Math.max(1, Math.min(rows ?? WIDEST, size.rows - HEAD)), columns: size.columns };
      const foot = `every ${refresh} s from ${nodesFrom ?? settings.EVENT_STREAM}, Ctrl-C ends it`;
      const line = [foot, ...notes, ...watched.notes()].join('; ').slice(0, size.columns);
      live.show([...boardLines(board, colors, room, watched.lasting()), colors.dim(line)]);
    }
  } finally {
    live.leave();
  }
  return exitCodes.done;
};

type Lasting = ReadonlyArray<Acknowledgement> | undefined;

const ASKED_EACH_MS = 10_000;

/** Keeps the acknowledgements of Alertmanager's last answer, so that the screen need not wait for the next answer. */
const watchAcknowledgements = ({ interrupted }: CommandContext, { alertmanager: urls }: TopOptions) => {
  let [lasting, notes]: [Lasting, ReadonlyArray<string>] = [urls && [], []];
  let asking: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    try {
      if (urls !== undefined) lasting = await readLasting(urls, interrupted);
      notes = [];
    } catch (thrown) {
      if (!(thrown instanceof CommandFailure)) throw thrown;
      notes = thrown.lines;
    }
  };
  return {
    lasting: () => lasting,
    notes: () => notes,
    /** Asks Alertmanager for the acknowledgements. If a request is in flight already, it waits for that one. */
    ask: () => (asking ??= ask().finally(() => (asking = undefined))),
  };
};

/** A board (the table of nodes) with notes for its reader, such as that Redis does not answer. */
interface Shown {
  readonly board: Board;
  readonly notes: ReadonlyArray<string>;
}

/**
 * With `once`, yields the board only when all entries are read; the caller then stops. Otherwise yields it at once, then every
 * `refresh` seconds and when an outage of Redis begins or ends.
 */
async function* boardsOfStream(context: CommandContext, { last, refresh, once }: TopOptions): AsyncGenerator<Shown> {
  const board = new Map<string, BoardRow>();
  let shownAt = -Infinity;
  let lostAt: Date | undefined;
  const report = (): void => undefined; // lines would disturb the screen, so `notes` report outages
  for await (const followed of followStream(context, { newestFirst: last }, report)) {
    const { older, entries, isCurrent, isUnavailable, hasOlder } = followed;
    for (const event of eventsIn(older)) putEvent(board, event, true);
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
  async function* (context: CommandContext, { refresh }: TopOptions): AsyncGenerator<Shown> {
    const [nodes, api] = [await readNodes(context, file), apiOf(context)];
    const { interrupted } = context;
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
  /** Times (epoch ms) of alarm changes in the entries that were read. Missing if the API was asked instead of the stream. */
  readonly changedAt?: ReadonlyArray<number>;
}

/** The last known state of each node, by node id. */
export type Board = ReadonlyMap<string, BoardRow>;

/** Replaces a node's state by the complete state in a status event. An older event (`isOlder`) only adds to `changedAt`. */
export const putEvent = (board: Map<string, BoardRow>, event: StreamEvent, isOlder = false): void => {
  if (event.type !== 'PointAlarmStatusEvent') return;
  const { aggregateId: nodeId, alarmStatus: status, updatedAt, alarmsChanged } = event;
  const known = board.get(nodeId);
  const before = known?.changedAt ?? [];
  const changedAt = alarmsChanged ? withChange(before, updatedAt) : before;
  if (isOlder && known !== undefined) board.set(nodeId, { ...known, changedAt });
  else board.set(nodeId, { nodeId, status, updatedAt, changedAt, parts: partsLine(event) });
};

/**
 * The board as lines: the number of nodes in all and per status, then a table of at most `rows` nodes. The worst nodes come
 * first, and among nodes of the same status those updated last. Lines are cut to `columns` characters.
 */
export const boardLines = (
  board: Board,
  colors: Colors,
  { rows, columns }: { readonly rows: number; readonly columns: number },
  lasting?: Lasting,
  now = Date.now(),
): ReadonlyArray<string> => {
  const all = [...board.values()];
  const counts = countsLine(all.map(({ status }) => status));
  const worst = all
    .sort(
      (one, other) =>
        other.status - one.status || other.updatedAt - one.updatedAt || (one.nodeId < other.nodeId ? -1 : 1),
    )
    .slice(0, rows);
  const hasChanges = all.some(({ changedAt }) => changedAt !== undefined);
  const shown = worst.map(({ status, nodeId, updatedAt, changedAt = [], parts }) => ({
    status,
    cells: [
      ...[statusNames[status], nodeId, new Date(updatedAt).toISOString()],
      ...(hasChanges ? [changesCell(changedAt, now)] : []),
      ...(lasting === undefined ? [] : [acknowledgedCell(lasting, nodeId)]),
      parts,
    ],
  }));
  const nodes = `${board.size} ${board.size === 1 ? 'node' : 'nodes'}${counts === '' ? '' : `: ${counts}`}`;
  const more = [...(hasChanges ? ['CHANGES'] : []), ...(lasting === undefined ? [] : ['ACKNOWLEDGED'])];
  const heads = ['STATUS', 'NODE', 'UPDATED', ...more, 'PARTS'];
  return [nodes.slice(0, columns), ...paintedTable(colors, heads, shown, columns)];
};

const ESC = '\u001b[';

/** Switches to the alternate screen of the terminal, so that the terminal shows its former content again at the end. */
const enterScreen = (screen: Screen) => {
  screen.write(`${ESC}?1049h${ESC}?25l`);
  const restore = (): void => screen.write(`${ESC}?25h${ESC}?1049l`);
  process.once('exit', restore); // a second Ctrl-C ends the process at once, without `leave`
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

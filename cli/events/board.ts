import type { Status } from '../../workflows/domain/alarm/status';
import type { StreamEvent } from '../../workflows/domain/events/event';
import { countsLine, partsLine } from '../status-words';

/** A node as the board shows it. */
export interface BoardRow {
  readonly nodeId: string;
  readonly status: Status;
  /** Epoch ms. */
  readonly updatedAt: number;
  readonly parts: string;
}

/** The last known state of each node, by its id. */
export type Board = ReadonlyMap<string, BoardRow>;

/** The board after `events`: each status event holds all of its node. */
export const afterEvents = (board: Board, events: ReadonlyArray<StreamEvent>): Board =>
  events.length === 0 ? board : new Map([...board, ...events.flatMap(rowsOf).map((row) => [row.nodeId, row] as const)]);

const rowsOf = (event: StreamEvent): ReadonlyArray<BoardRow> =>
  event.type === 'PointAlarmStatusEvent'
    ? [{ nodeId: event.aggregateId, status: event.alarmStatus, updatedAt: event.updatedAt, parts: partsLine(event) }]
    : [];

/** The worst nodes first; of one status, those updated last. */
export const worstFirst = (board: Board): ReadonlyArray<BoardRow> =>
  [...board.values()].sort(
    (one, other) =>
      other.status - one.status || other.updatedAt - one.updatedAt || (one.nodeId < other.nodeId ? -1 : 1),
  );

/** The number of nodes, in all and per status. */
export const boardSummary = (board: Board): string => {
  const counts = countsLine([...board.values()].map(({ status }) => status));
  return `${board.size} ${board.size === 1 ? 'node' : 'nodes'}${counts === '' ? '' : `: ${counts}`}`;
};

import type { Colors } from 'picocolors/types';
import { statusNames } from '../../workflows/domain/alarm/status';
import { painted } from '../status-words';
import { tableOf } from '../table';
import { boardSummary, worstFirst, type Board } from './board';

/** The board as lines: the counts, then a table of the worst nodes, at most `rows` of them and `columns` wide. */
export const boardLines = (
  board: Board,
  colors: Colors,
  { rows, columns }: { readonly rows: number; readonly columns: number },
): ReadonlyArray<string> => {
  const worst = worstFirst(board).slice(0, rows);
  const cells = worst.map(({ status, nodeId, updatedAt, parts }) => [
    statusNames[status],
    nodeId,
    new Date(updatedAt).toISOString(),
    parts,
  ]);
  const [header = '', ...lines] = tableOf([['STATUS', 'NODE', 'UPDATED', 'PARTS'], ...cells]);
  const cut = (line: string): string => line.slice(0, columns);
  return [
    cut(boardSummary(board)),
    colors.dim(cut(header)),
    ...lines.map((line, index) => painted(colors, worst[index]?.status ?? 0, cut(line))),
  ];
};

import type { Figures, Row } from '../measure/measure';

/** The rounds of one load on one side, as one. */
export interface Summary {
  readonly section: string;
  readonly load: string;
  readonly side: string;
  /** The median of each figure. */
  readonly figures: Figures;
}

/** One summary a load and side, in the order of their first rows. */
export const summariesOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Summary> => {
  const firsts = rows.filter((row, place) => rows.findIndex((other) => isSame(row, other)) === place);
  return firsts.map((first) => {
    const group = rows.filter((row) => isSame(row, first));
    const { section, load, side } = first;
    const names = [...new Set(group.flatMap(({ figures }) => Object.keys(figures)))];
    const of = (name: string): ReadonlyArray<number> => group.flatMap(({ figures }) => figures[name] ?? []);
    const figures = Object.fromEntries(names.map((name) => [name, medianOf(of(name))]));
    return { section, load, side, figures };
  });
};

const isSame = (one: Row, other: Row): boolean =>
  one.section === other.section && one.load === other.load && one.side === other.side;

/** NaN when there is none. */
export const medianOf = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
};

import type { Figures, Row } from '../measure/row';

/** The rounds of one load on one side, as one. */
export interface Summary {
  readonly section: string;
  readonly load: string;
  readonly side: string;
  readonly rounds: number;
  /** The median of each figure. */
  readonly figures: Figures;
  /** Calls a second of each round, in order. */
  readonly rates: ReadonlyArray<number>;
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
    return { section, load, side, rounds: group.length, figures, rates: of('perSecond') };
  });
};

const isSame = (one: Row, other: Row): boolean =>
  one.section === other.section && one.load === other.load && one.side === other.side;

/** The summary of the same load on another side. */
export const besides = (
  { section, load }: Summary,
  side: string,
  summaries: ReadonlyArray<Summary>,
): Summary | undefined =>
  summaries.find((other) => other.section === section && other.load === load && other.side === side);

/** NaN when there is none. */
export const medianOf = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
};

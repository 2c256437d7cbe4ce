/** A column of a CSV file, and the member of a threshold that it holds. */
export interface Column {
  readonly name: string;
  readonly path: readonly [string] | readonly [string, string];
  readonly isNumber: boolean;
}

const limits = ['outerLow', 'innerLow', 'innerHigh', 'outerHigh'] as const;

/** Every column that a file may have, in any order; `node` is needed. */
export const columns: ReadonlyArray<Column> = [
  { name: 'node', path: ['nodeId'], isNumber: false },
  { name: 'thresholdType', path: ['thresholdType'], isNumber: true },
  ...limits.map((name) => ({ name, path: ['overall', name] as const, isNumber: true })),
  { name: 'unit', path: ['overall', 'unit'], isNumber: false },
  ...limits.map((name) => ({ name: ofRate(name), path: ['rateOfChange', name] as const, isNumber: true })),
  { name: ofRate('unit'), path: ['rateOfChange', 'unit'], isNumber: false },
  { name: 'fullScale', path: ['fullScale'], isNumber: true },
];

function ofRate(name: string): string {
  return `rateOfChange${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

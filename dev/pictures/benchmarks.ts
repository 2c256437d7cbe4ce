import { barPicture, linePicture } from './charts';
import { pictureColours } from './svg';

/** A row of a table: each cell by the head of its column. */
type Row = Readonly<Record<string, string>>;

/** The rows of the table between `<!-- name -->` and `<!-- end of name -->`. Errors: the page has no such markers. */
const rowsOf = (page: string, name: string): ReadonlyArray<Row> => {
  const [, section] = new RegExp(`<!-- ${name} -->\\n([\\s\\S]*?)<!-- end of ${name} -->`, 'u').exec(page) ?? [];
  if (section === undefined) throw new Error(`the page lacks the markers of ${name}`);
  const [head = [], , ...rows] = section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return rows.map((cells) => Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ''])));
};

/** The order of the bars, so that service and baseline under the same conditions stand together. */
const sides = ['service', 'READS=cache', 'baseline', 'baseline, defaults', 'flapping', 'baseline, flapping'];

/** Draws the calls per second of service and plain Temporal under each of `loads`, by default all loads of the section. */
const ratePicture =
  (title: string, section: string, loads?: ReadonlyArray<string>) =>
  (tables: string): string => {
    const rows = rowsOf(tables, section);
    const names =
      loads ??
      [...new Set(rows.map((row) => row['Load'] ?? ''))].sort(
        (a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10),
      );
    const barsOf = (load: string) =>
      rows
        .filter((row) => row['Load'] === load)
        .sort((a, b) => sides.indexOf(a['Side'] ?? '') - sides.indexOf(b['Side'] ?? ''))
        .map(({ Side: side = '', 'Calls/s': rate = '' }) => ({
          label: side.replace('baseline', 'plain Temporal').replace(/^flapping$/u, 'service, flapping'),
          value: Number.parseFloat(rate),
          colour: side.startsWith('baseline') ? pictureColours.baseline : pictureColours.service,
        }));
    return barPicture({ title, unit: 'per second', groups: names.map((name) => ({ name, bars: barsOf(name) })) });
  };

/** Draws the memory of the processes that live through the whole soak (two hours of load with kills), from its table. */
const soakPicture = (tables: string): string => {
  const rows = rowsOf(tables, 'soak-with-kills');
  const valuesOf = (column: string): ReadonlyArray<number> => rows.map((row) => Number(row[column]));
  return linePicture({
    title: 'Memory through two hours of load, kills and restarts',
    unit: 'MiB',
    most: 400,
    step: (index) => `minute ${rows[index]?.['Minute'] ?? ''}`,
    lines: [
      { name: 'worker, memory', colour: pictureColours.service, values: valuesOf('worker-1 memory') },
      { name: 'API, memory', colour: pictureColours.goodLine, values: valuesOf('api-1 memory') },
      { name: 'worker, heap', colour: pictureColours.alertLine, values: valuesOf('worker-1 heap') },
      { name: 'API, heap', colour: pictureColours.dangerLine, values: valuesOf('api-1 heap') },
    ],
  });
};

/** The charts, by the names of their files, drawn from docs/contributing/benchmarks-tables.md. */
export const charts: Readonly<Record<string, (tables: string) => string>> = {
  'bench-spread': ratePicture('Measurements of many nodes', 'spread'),
  'bench-hot': ratePicture('Measurements of one node', 'hot'),
  'bench-reads': ratePicture('Reads of the status', 'reads', [
    'GET status, 64 callers',
    'GET status of one node, 64 callers',
  ]),
  soak: soakPicture,
};

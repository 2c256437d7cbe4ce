/** A row of a table: its cells by the heads of their columns. */
export type Row = Readonly<Record<string, string>>;

/** The rows of the table between `<!-- name -->` and `<!-- end of name -->`. Errors: the page has no such markers. */
export const rowsOf = (page: string, name: string): ReadonlyArray<Row> => {
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

/** The number in a cell. Errors: it holds none. */
export const numberIn = (row: Row | undefined, column: string): number => {
  const value = Number.parseFloat(row?.[column] ?? '');
  if (Number.isNaN(value)) throw new Error(`${column} holds no number: ${JSON.stringify(row)}`);
  return value;
};

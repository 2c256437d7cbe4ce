import { expect, test } from 'vitest';
import { entriesAfter, MOST_ENTRIES, pageSizes } from '../../../stream/pages';

const entries = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `${at}-0`, fields: { data: 'x'.repeat(bytes) } }));
const MIB = 1_048_576;

test.each([1, 300, 3_300, 8_000, 100_000, 3 * MIB])(
  'pages of entries of %i bytes come to be as large as they may, and never larger',
  (bytes) => {
    const sizes = pageSizes();
    const most = Math.max(1, Math.min(MOST_ENTRIES, Math.floor(MIB / bytes)));
    for (let page = 0; page < 30; page += 1) {
      const count = sizes.next();
      expect(count).toBeLessThanOrEqual(Math.max(most, 8));
      sizes.adjust(entries(count, bytes));
    }
    expect(sizes.next()).toBe(most);
  },
);

test('one page of large entries after small ones makes the next one small', () => {
  const sizes = pageSizes();
  for (let page = 0; page < 30; page += 1) sizes.adjust(entries(10, 100));
  expect(sizes.next()).toBe(MOST_ENTRIES);
  sizes.adjust([...entries(9, 100), ...entries(1, 100_000)]);
  expect(sizes.next()).toBe(Math.floor(MIB / 100_000));
  sizes.adjust([]);
  expect(sizes.next()).toBe(Math.floor(MIB / 100_000));
});

test('a page of the largest entries after any number of small ones is 12.5 times too large at most', () => {
  const sizes = pageSizes();
  for (let page = 0; page < 300; page += 1) {
    sizes.adjust(entries(sizes.next(), 1));
    expect(sizes.next() * 131_072).toBeLessThanOrEqual(12.5 * MIB);
  }
});

test('all entries behind one are found, in order, across pages', async () => {
  const all = Array.from({ length: 30 }, (_, at) => ({ id: `${at + 1}-0`, message: { data: 'x' } }));
  const client = {
    xRevRange: (_: unknown, from: string, __: unknown, { COUNT }: { COUNT: number }) =>
      Promise.resolve(
        all
          .filter(({ id }) => from === '+' || Number.parseInt(id, 10) < Number.parseInt(from.slice(1), 10))
          .slice(-COUNT)
          .reverse(),
      ),
  };
  const found = await entriesAfter(client as unknown as Parameters<typeof entriesAfter>[0], 's', '5-0');
  expect(found.map(({ id }) => id)).toEqual(all.slice(5).map(({ id }) => id));
});

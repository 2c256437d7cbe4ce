import { expect, test } from 'vitest';
import type { MonthFigures } from '../../../../cli/forward/postgres/month';
import { durationText, monthReport } from '../../../../cli/journal/month-report';
import { reportPage } from '../../../../cli/journal/report-page';

const OCTOBER = Date.UTC(2025, 9, 1);
const after = (hours: number): Date => new Date(OCTOBER + hours * 3_600_000);
const part = { node: 'a', part: 'band 0', label: 'outer <race>' };

const quiet: MonthFigures = {
  month: { name: '2025-10', since: after(0), until: after(744) },
  ...{ until: after(744), now: after(10_000), alarms: 0, chattering: 0, fleeting: 0, stood: 0, standAtEnd: 0 },
  ...{ byTenMinutes: [], floods: [], frequentParts: [], chatteringParts: [], fleetingParts: [], standing: [] },
  acknowledged: { alarms: 0, half: null, most: null },
  ...{ silentAfter: 86_400_000, silent: 0, silentNodes: [], lastMeasured: null },
};
const busy: MonthFigures = {
  ...quiet,
  ...{ alarms: 200, chattering: 60, fleeting: 20 },
  byTenMinutes: [
    { at: after(0), alarms: 3 },
    { at: after(24), alarms: 120 },
  ],
  floods: [
    { began: after(24), ended: after(31.5), alarms: 150 },
    { began: after(48), ended: after(56), alarms: 15 },
  ],
  frequentParts: [{ ...part, alarms: 50, chattering: 60, fleeting: 20 }],
  standing: [{ ...part, began: after(-100), ended: null }],
  acknowledged: { alarms: 2, half: 90_000, most: 7_200_000 },
};

const rowsOf = (figures: MonthFigures, title: string) =>
  monthReport(figures, (node) => `node ${node}`).find((section) => section.title === title)?.rows;

test.each([
  [0, '0 s'],
  [999, '0 s'],
  [1_000, '1 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [61_000, '1 min 1 s'],
  [3_600_000, '1 h'],
  [90_060_000, '1 d 1 h'],
  [86_460_000, '1 d'],
])('%d ms are %s', (ms, words) => {
  expect(durationText(ms)).toBe(words);
});

test('a month without an alarm has its figures, and no other table', () => {
  expect(monthReport(quiet, String).map(({ title }) => title)).toEqual(['Figures']);
  expect(rowsOf(quiet, 'Figures')).toContainEqual(['share of the ten most frequent', '-', 'at most 5 %']);
});

test('figures are shares of the alarms, and of the time of the month', () => {
  const rows = rowsOf(busy, 'Figures')?.map(([figure, value]) => `${figure ?? ''}: ${value ?? ''}`);
  expect(rows).toEqual(
    expect.arrayContaining([
      'alarms in ten minutes, on average: 100.00',
      'alarms in the worst ten minutes: 120 (2025-10-02 00:00)',
      'time in flood: 2.08 % (floods: 2)', // 15.5 of 744 hours
      'share of the ten most frequent: 25.00 %',
      'time to acknowledge, median: 1 min 30 s',
      'time to acknowledge, of nine in ten: 2 h',
    ]),
  );
});

test('the longest flood comes first, and what stands, stood until the end of the month', () => {
  expect(rowsOf(busy, 'The longest floods')?.map(([, lasted]) => lasted)).toEqual(['8 h', '7 h 30 min']);
  expect(rowsOf(busy, 'Standing for more than 24 hours')).toEqual([
    ['node a', 'band 0 outer <race>', '2025-09-26 20:00', 'not yet', '35 d 4 h'],
  ]);
});

test('the page shows what others chose as text, and loads nothing', () => {
  const page = reportPage(busy, () => '<script>alert(1)</script>');
  expect(page).toContain('&lt;script>');
  expect(page).not.toMatch(/<script|<race/u);
  expect(page.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|src=|href=|url\(|@import/u);
  expect(page.match(/<svg /gu)).toHaveLength(2);
  expect(reportPage(quiet, String).match(/<svg /gu)).toHaveLength(1);
});

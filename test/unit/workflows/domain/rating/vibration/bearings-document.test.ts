import { projectRoot } from '../../../../../../stack/project-root';
import * as E from 'fp-ts/Either';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decode } from '../../../../../../workflows/domain/codecs';
import { bearingsFile } from '../../../../../../workflows/domain/rating/vibration/bearings/bearings-file';
import { knownBearingRows } from '../../../../../../workflows/domain/rating/vibration/bearings/known-bearings';

describe('docs/bearings.md', () => {
  const page = readFileSync(join(projectRoot, 'docs/bearings.md'), 'utf8');
  const sources = [...new Set(knownBearingRows.map(({ source }) => source))];

  test.each(knownBearingRows)('shows $manufacturer $modelNumber as it is, with its source', (row) => {
    const orders = [row.orders.ftf, row.orders.bsf, row.orders.bpfo, row.orders.bpfi].map((order) => order.toFixed(4));
    const number = sources.indexOf(row.source) + 1;
    const cells = [row.manufacturer, row.modelNumber, row.elements, ...orders, number];
    expect(page).toContain(`| ${cells.join(' | ')} |`);
    expect(page).toContain(`${number}. ${row.source}`);
  });

  test('shows no other rows', () => {
    expect(page.match(/^\| \w.*\| \d+ \|$/gmu)).toHaveLength(knownBearingRows.length);
  });

  test('gives an example that is accepted', () => {
    const example = /```json\n([\s\S]*?)```/u.exec(page)?.[1] ?? '';
    const read = decode(bearingsFile, JSON.parse(example));
    expect(E.isRight(read) && read.right).toHaveLength(2);
  });
});

import { projectRoot } from '../../../../../../dev/stack/project-root';
import * as E from 'fp-ts/Either';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decode } from '../../../../../../workflows/domain/codecs';
import { bearingsFile } from '../../../../../../workflows/domain/rating/vibration/bearings/bearings-file';
import { knownBearingRows } from '../../../../../../workflows/domain/rating/vibration/bearings/known-bearings';

describe('docs/bearings.md', () => {
  const page = readFileSync(join(projectRoot, 'docs/bearings.md'), 'utf8');

  test('says how many bearings are known, and how many of them of Timken', () => {
    const timken = knownBearingRows.filter(({ manufacturer }) => manufacturer === 'Timken');
    expect(page).toContain(`[${knownBearingRows.length} bearings](known-bearings.md)`);
    expect(page).toContain(`${timken.length} of them by Timken`);
  });

  test('gives an example that is accepted', () => {
    const example = /```json\n([\s\S]*?)```/u.exec(page)?.[1] ?? '';
    const read = decode(bearingsFile, JSON.parse(example));
    expect(E.isRight(read) && read.right).toHaveLength(2);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { projectRoot } from '../../../stack/project-root';
import { decode, isRecord } from '../../../workflows/domain/codecs';
import { hardLimits } from '../../../workflows/domain/limits';
import { contentTypes, measurementInput } from '../../../workflows/domain/measurement/measurement';

const guide = readFileSync(join(projectRoot, 'docs/calls.md'), 'utf8');

const about = { measurementId: '3b241101-e2bb-4255-8caf-4136c566a962', createdAt: '2026-01-31T10:00:00.000Z' };
const isMeasurement = (given: object): boolean => E.isRight(decode(measurementInput(hardLimits), given));

const [, lines = ''] = /^```json\n(\{"contentType".*?)^```$/msu.exec(guide) ?? [];
const examples = lines
  .trim()
  .split('\n')
  .map((line): unknown => JSON.parse(line))
  .filter(isRecord);
/** The names in backticks of a cell. */
const namesIn = (cell = ''): ReadonlyArray<string> => [...cell.matchAll(/`(\w+)`/gu)].map(([, name = '']) => name);
const rows = [...guide.matchAll(/^\| `([A-Z_]+)` \| `(\w+)` \|([^|\n]*)\|([^|\n]*)\|$/gmu)];

describe('what the guide to calls says of measurements', () => {
  test('has a row and an example of every content type', () => {
    expect(rows.map(([, type]) => type)).toEqual(contentTypes);
    expect(examples.map(({ contentType }) => contentType)).toEqual(contentTypes);
  });

  test.each(
    rows.map(([, type = '', member = '', required = '', optional = '']) => ({ type, member, required, optional })),
  )('$type requires what its row says, and no more', ({ type, member, required, optional }) => {
    const example = { ...about, ...examples.find(({ contentType }) => contentType === type) };
    expect(isMeasurement(example)).toBe(true);
    for (const name of ['measurementId', 'createdAt', 'contentType', member])
      expect([name, isMeasurement({ ...example, [name]: undefined })]).toEqual([name, false]);
    const content = Object.entries(example).find(([name]) => name === member)?.[1];
    for (const name of Object.keys(isRecord(content) ? content : {})) {
      expect([...namesIn(required), ...namesIn(optional)]).toContain(name);
      const isOptional = isMeasurement({ ...example, [member]: { ...Object(content), [name]: undefined } });
      expect([name, isOptional]).toEqual([name, namesIn(optional).includes(name)]);
    }
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from '../../../dev/stack/project-root';
import { pins } from '../../slow/generated-clients/tools';
import { isRecord, type JsonSchema } from '../../../workflows/domain/codecs';

const objectsIn = (value: unknown): ReadonlyArray<JsonSchema> => {
  const members = isRecord(value) || Array.isArray(value) ? Object.values(value).flatMap(objectsIn) : [];
  return isRecord(value) ? [value, ...members] : members;
};

/** What code generators make the wrong thing of, or nothing at all; test/slow/generated-clients runs them. */
test.each(['openapi.json', 'asyncapi.yaml'])('the schemas of %s have the forms that code generators need', (file) => {
  const objects = objectsIn(parse(readFileSync(join(projectRoot, 'docs', file), 'utf8')));
  const numbers = objects.filter(({ type }) => [type].flat().includes('number'));
  expect(numbers.length).toBeGreaterThan(10);
  for (const number of numbers) expect(number).toHaveProperty('format', 'double');

  const joined = objects.filter(({ allOf }) => allOf !== undefined);
  const references = joined.filter(({ allOf }) => JSON.stringify(allOf).startsWith('[{"$ref"'));
  expect(joined.filter(({ properties }) => properties !== undefined)).toEqual([]);
  expect(references.length).toBeGreaterThan(10);
  for (const { title, allOf } of references) expect(allOf).toEqual([{ $ref: `#/components/schemas/${String(title)}` }]);
});

test('docs/client.md names the generators by the versions that test/slow/generated-clients runs', () => {
  const page = readFileSync(join(projectRoot, 'docs/client.md'), 'utf8');
  const named = [...page.matchAll(/([@\w/-]+)(?:` |==)(\d+\.\d+\.\d+)/gu)].map(
    ([, name, version]) => `${name} ${version}`,
  );
  const tested = Object.values(pins).flatMap((some) =>
    some.map((pin) => pin.replace(/^github.+\//u, '').replace(/==|\b@v?/u, ' ')),
  );
  expect(new Set(named).size).toBe(6);
  expect(tested).toEqual(expect.arrayContaining(named));
});

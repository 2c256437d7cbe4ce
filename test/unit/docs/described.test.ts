import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from '../../../stack/project-root';
import { isRecord } from '../../../workflows/domain/codecs';

/** Members that hold values of a schema, not schemas, or rules between members that are described where they are defined. */
const values = new Set(['example', 'examples', 'allOf']);

/** Members whose own members are named by the author, and want a description each. */
const maps = new Set(['properties', 'responses', 'headers', 'parameters']);

/** The places below `document` that want a description, each with the one that it has. */
const placesIn = (document: unknown, place: string, keyword = ''): ReadonlyArray<readonly [string, unknown]> => {
  if (!isRecord(document) && !Array.isArray(document)) return [];
  const isMap = maps.has(keyword) && !('type' in document && typeof document.type === 'string');
  return Object.entries(document).flatMap(([name, member]: [string, unknown]) => {
    const below = `${place}.${name}`;
    if (!isMap) return values.has(name) ? [] : placesIn(member, below, name);
    const own = isRecord(member) && !('$ref' in member) ? [[below, member['description']] as const] : [];
    return [...own, ...placesIn(member, below)];
  });
};

describe.each(['docs/openapi.json', 'docs/asyncapi.yaml'])('%s', (file) => {
  const places = placesIn(parse(readFileSync(join(projectRoot, file), 'utf8')), '');

  test('has properties, parameters, headers and answers', () => {
    expect(places.length).toBeGreaterThan(100);
  });

  test('describes each of them', () => {
    const undescribed = places.filter(([, text]) => typeof text !== 'string' || text.length < 5);
    expect(undescribed.map(([place]) => place)).toEqual([]);
  });
});

import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { foldedTypes, hierarchyLabels } from '../../../../cli/forward/alertmanager/alert';
import type { NodeTree } from '../../../../process/files/hierarchy-file';
import { folderWith, runHere } from '../../../support/run-program';
import { anId } from '../../../support/scenario';

/** A chain of nodes of these types, the root first; each is called by its type. */
const chainOf = (...types: ReadonlyArray<string>): NodeTree =>
  new Map(
    types.map((type, at) => {
      const node = { id: anId(at), type, name: `a ${type}`, ...(at > 0 && { parent: anId(at - 1) }) };
      return [node.id, node];
    }),
  );
const labelsOf = (...types: ReadonlyArray<string>) => hierarchyLabels(chainOf(...types), anId(types.length - 1));

test('a type is a label; characters that a label cannot have become underscores', () => {
  expect(labelsOf('plant', 'production-line', '3rd level', 'measurement_point')).toEqual({
    plant: 'a plant',
    production_line: 'a production-line',
    _3rd_level: 'a 3rd level',
    measurement_point: 'a measurement_point',
  });
});

test('of two ancestors of one type the nearer counts', () => {
  const tree = new Map([...chainOf('area', 'area', 'machine')].map(([id, node]) => [id, { ...node, name: node.id }]));
  expect(hierarchyLabels(tree, anId(2))).toEqual({ area: anId(1), machine: anId(2) });
});

test('names that every object of JavaScript has are labels like any other', () => {
  expect(Object.entries(labelsOf('constructor', '__proto__', 'toString'))).toEqual([
    ['toString', 'a toString'],
    ['__proto__', 'a __proto__'],
    ['constructor', 'a constructor'],
  ]);
});

test('types in letters of other languages stay apart, by the escaping of Prometheus', () => {
  expect(labelsOf('工厂', '机器', 'Gebäude', 'a_ü')).toEqual({
    U___5de5__5382_: 'a 工厂',
    U___673a__5668_: 'a 机器',
    U__Geb_e4_ude: 'a Gebäude',
    U__a___fc_: 'a a_ü',
  });
});

property.prop([
  fc.uniqueArray(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 8 }),
])('every type has its label, or is refused by name', (types) => {
  const labels = Object.keys(labelsOf(...types));
  for (const label of labels) expect(label).toMatch(/^[a-zA-Z_][a-zA-Z0-9_]*$/u);
  expect(labels.length === types.length || foldedTypes(chainOf(...types)).length > 0).toBe(true);
});

test.each<[types: ReadonlyArray<string>, folded: ReadonlyArray<string>]>([
  [['plant', 'machine'], []],
  [['plant', 'plant'], []],
  [['level 1', 'level-1', 'level_1'], ['the types "level 1", "level-1", "level_1" are all the label level_1']],
  [['U___5de5_', '工'], ['the types "U___5de5_", "工" are all the label U___5de5_']],
  [['part'], ['the type "part" is the label part, which alerts have already']],
  ...['alertname', 'node', 'severity', 'label'].map((own): [ReadonlyArray<string>, ReadonlyArray<string>] => [
    ['plant', own],
    [`the type "${own}" is the label ${own}, which alerts have already`],
  ]),
])('types that would be one label are named: %j', (types, folded) =>
  expect(foldedTypes(chainOf(...types))).toEqual(folded),
);

test('the forwarder does not begin with such a hierarchy', async () => {
  const nodes = [...chainOf('level 1', 'level-1').values()];
  const folder = folderWith({ 'h.json': JSON.stringify({ nodes }) });
  const { code, err } = await runHere(
    ...([folder, 'forward', 'alertmanager', '--url', 'http://127.0.0.1:1', '--hierarchy', 'h.json'] as const),
  );
  expect([code, err]).toEqual([
    2,
    ['h.json cannot be labels: the types "level 1", "level-1" are all the label level_1'],
  ]);
});

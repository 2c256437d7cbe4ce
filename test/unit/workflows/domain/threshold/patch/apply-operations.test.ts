import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { DOCUMENT_BYTES } from '../../../../../../workflows/domain/limits';
import { applyOperations, type PatchOperation } from '../../../../../../workflows/domain/threshold/patch';

const add = (path: string, value: unknown): PatchOperation => ({ op: 'add', path, value });
const replace = (path: string, value: unknown): PatchOperation => ({ op: 'replace', path, value });
const check = (path: string, value: unknown): PatchOperation => ({ op: 'test', path, value });
const remove = (path: string): PatchOperation => ({ op: 'remove', path });
const move = (from: string, path: string): PatchOperation => ({ op: 'move', from, path });
const copy = (from: string, path: string): PatchOperation => ({ op: 'copy', from, path });

describe('operations that apply', () => {
  test.each<[name: string, document: unknown, operations: ReadonlyArray<PatchOperation>, then: unknown]>([
    ['none', { a: 1 }, [], { a: 1 }],
    ['an item moves to the end of its array', [1, 2, 3], [move('/0', '/2')], [2, 3, 1]],
    ['an item moves behind all others', [1, 2, 3], [move('/0', '/-')], [2, 3, 1]],
    ['a value moves onto itself', { a: [1] }, [move('/a', '/a')], { a: [1] }],
    ['the document moves onto itself', { a: 1 }, [move('', '')], { a: 1 }],
    ['a value moves up to be the document', { a: { b: 1 } }, [move('/a', '')], { b: 1 }],
    ['an item moves into the item that takes its place', [1, 2, { a: 3 }], [move('/0', '/1/b')], [2, { a: 3, b: 1 }]],
    [
      'a copy is a copy, not the same',
      { a: { b: 1 } },
      [copy('/a', '/c'), replace('/c/b', 2)],
      { a: { b: 1 }, c: { b: 2 } },
    ],
    [
      'a value is added that the next operation changes',
      {},
      [add('/a', { b: 1 }), replace('/a/b', 2)],
      { a: { b: 2 } },
    ],
    ['null is a value', { a: null }, [check('/a', null), replace('/a', 1), replace('/a', null)], { a: null }],
    ['a document removed', { a: 1 }, [remove('')], null],
    [
      'objects are alike in any order',
      { a: { b: 1, c: [2] } },
      [check('/a', { c: [2], b: 1 })],
      { a: { b: 1, c: [2] } },
    ],
    [
      'escaped names',
      { 'a/b': 1, 'c~d': 2, '~1': 3 },
      [remove('/a~1b'), remove('/c~0d'), check('/~01', 3)],
      { '~1': 3 },
    ],
    ['an empty name', { '': 1 }, [replace('/', 2)], { '': 2 }],
  ])('%s', (_name, document, operations, then) => {
    expect(applyOperations(document, operations)).toEqual(E.right(then));
  });
});

describe('operations that do not', () => {
  const missing = (path: string) => `path: ${path} does not exist`;
  test.each<[name: string, document: unknown, operation: PatchOperation, then: string]>([
    ['a missing member', {}, remove('/a'), missing('/a')],
    ['a missing member to replace', {}, replace('/a', 1), missing('/a')],
    ['a missing member to test', {}, check('/a', null), missing('/a')],
    ['a missing parent', {}, add('/a/b', 1), missing('/a/b')],
    ['a parent that is no container', { a: 'text' }, add('/a/0', 1), missing('/a/0')],
    ['a test that differs', { a: 1 }, check('/a', '1'), 'value: differs from the current value of /a'],
    ['a test of an array by an object', { a: [] }, check('/a', {}), 'value: differs from the current value of /a'],
    [
      'a test of a value with more members',
      { a: { b: 1 } },
      check('/a', {}),
      'value: differs from the current value of /a',
    ],
    ['a leading zero', [1, 2], replace('/00', 3), missing('/00')],
    ['a leading zero where it would be added', [1, 2], add('/01', 3), missing('/01')],
    ['an index as power', [1, 2], add('/1e0', 3), missing('/1e0')],
    ['a negative index', [1], remove('/-1'), missing('/-1')],
    ['an index without a digit', [1], add('/', 3), missing('/')],
    ['an index beyond the end', [1], add('/2', 3), missing('/2')],
    ['the place behind the last, read', [1], remove('/-'), missing('/-')],
    ['the place behind the last, tested', [1], check('/1', 1), missing('/1')],
    ['the length of an array', [1], replace('/length', 0), missing('/length')],
    ['an inherited name, removed', {}, remove('/constructor'), missing('/constructor')],
    ['an inherited name, replaced', {}, replace('/toString', 1), missing('/toString')],
    ['an inherited name, added', {}, add('/hasOwnProperty', 1), missing('/hasOwnProperty')],
    ['an inherited name, copied', {}, copy('/constructor', '/a'), 'from: /constructor does not exist'],
    ['the prototype', {}, add('/__proto__/polluted', 1), missing('/__proto__/polluted')],
    [
      'the prototype, where a document names it',
      JSON.parse('{"__proto__": {}}'),
      add('/__proto__/polluted', 1),
      missing('/__proto__/polluted'),
    ],
    ['the prototype, as a new member', {}, add('/__proto__', {}), missing('/__proto__')],
    [
      'the prototype of the constructor',
      {},
      add('/constructor/prototype/polluted', 1),
      missing('/constructor/prototype/polluted'),
    ],
    ['a place below what is no container', { a: 'text' }, remove('/a/b'), missing('/a/b')],
    ['a move from nowhere', {}, move('/a', '/b'), 'from: /a does not exist'],
    ['a move to nowhere', { a: 1 }, move('/a', '/b/c'), missing('/b/c')],
    ['a move into its own child', { a: { b: 1 } }, move('/a', '/a/b'), 'path: lies inside of what is moved'],
    [
      'a move of an item into the one that takes its place, by its own path',
      [{}, {}],
      move('/0', '/0/a'),
      'path: lies inside of what is moved',
    ],
    ['a move of the document into itself', { a: 1 }, move('', '/b'), 'path: lies inside of what is moved'],
    ['a move behind the end that its own removal leaves', [1, 2, 3], move('/0', '/3'), missing('/3')],
    ['a move into what is no container once it is gone', [1, {}, 2], move('/0', '/1/a'), missing('/1/a')],
  ])('%s', (_name, document, operation, then) => {
    const before = structuredClone(document);
    expect(applyOperations(document, [operation])).toEqual(
      E.left({ name: `0.${then.split(': ')[0]}`, reason: then.replace(/^\w+: /u, '') }),
    );
    expect(document).toEqual(before);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test('the first of them is told, by its place', () => {
    const operations = [add('/a', 1), remove('/b'), remove('/c')];
    expect(applyOperations({}, operations)).toEqual(E.left({ name: '1.path', reason: '/b does not exist' }));
  });

  test('neither the document nor the values are changed by later operations', () => {
    const operations = [add('/a', { b: [1] }), add('/a/b/-', 2), copy('/a', '/c'), add('/c/b/-', 3)];
    const before = JSON.stringify(operations);
    expect(applyOperations({}, operations)).toEqual(E.right({ a: { b: [1, 2] }, c: { b: [1, 2, 3] } }));
    expect(JSON.stringify(operations)).toBe(before);
  });

  test('copies that grow without end are given up', () => {
    const document = { label: 'x'.repeat(60) };
    const operations = Array.from({ length: 20 }, (_, index) => copy('', `/x${index}`));
    expect(applyOperations(document, operations)).toEqual(
      E.left({ name: '11.path', reason: 'makes the threshold too large' }),
    );
  });

  test('a hundred operations on the largest threshold take a fraction of the 5 s that a workflow task has', () => {
    const document = { text: 'x'.repeat(DOCUMENT_BYTES), array: [0, 1, 2] };
    const operations = Array.from({ length: 100 }, () => move('/array/0', '/array/2'));
    const start = performance.now();
    expect(E.isRight(applyOperations(document, operations))).toBe(true);
    expect(performance.now() - start).toBeLessThan(4_000);
  });
});

test('neither the document nor the operations are changed', () => {
  const document = { a: { b: [1, 2] } };
  const operations = [
    add('/c', { d: 1 }),
    add('/c/e', 2),
    move('/a/b', '/f'),
    remove('/f/0'),
    copy('/c', '/g'),
    replace('/g/d', 9),
  ];
  const [documentBefore, operationsBefore] = structuredClone([document, operations] as const);
  expect(applyOperations(document, operations)).toEqual(
    E.right({ a: {}, c: { d: 1, e: 2 }, f: [2], g: { d: 9, e: 2 } }),
  );
  expect(document).toEqual(documentBefore);
  expect(operations).toEqual(operationsBefore);
});

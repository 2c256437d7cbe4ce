import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { applyOperations, type PatchOperation } from '../../../../../../workflows/domain/threshold/patch';
import { add, check, copy, move, remove, replace } from '../../../../../support/patch-operations';

describe('operations that do not', () => {
  const nowhere = (path: string, of = 'path') => ({ name: `0.${of}`, reason: `${path} does not exist` });
  test.each<[name: string, document: unknown, operation: PatchOperation]>([
    ['a missing member', {}, remove('/a')],
    ['a missing member to replace', {}, replace('/a', 1)],
    ['a missing member to test', {}, check('/a', null)],
    ['a missing parent', {}, add('/a/b', 1)],
    ['a parent that is no container', { a: 'text' }, add('/a/0', 1)],
    ['a place below what is no container', { a: 'text' }, remove('/a/b')],
    ['a leading zero', [1, 2], replace('/00', 3)],
    ['a negative index', [1], remove('/-1')],
    ['an index without a digit', [1], add('/', 3)],
    ['the place behind the last, read', [1], remove('/-')],
    ['the length of an array', [1], replace('/length', 0)],
    ['an inherited name, removed', {}, remove('/constructor')],
    ['an inherited name, replaced', {}, replace('/toString', 1)],
    ['an inherited name, added', {}, add('/hasOwnProperty', 1)],
    ['the prototype', {}, add('/__proto__/polluted', 1)],
    ['the prototype, where a document names it', JSON.parse('{"__proto__": {}}'), add('/__proto__/polluted', 1)],
    ['the prototype, as a new member', {}, add('/__proto__', {})],
    ['the prototype of the constructor', {}, add('/constructor/prototype/polluted', 1)],
    ['a move to nowhere', { a: 1 }, move('/a', '/b/c')],
    ['a move behind the end that its own removal leaves', [1, 2, 3], move('/0', '/3')],
    ['a move into what is no container once it is gone', [1, {}, 2], move('/0', '/1/a')],
  ])('%s', (_name, document, operation) => {
    const before = structuredClone(document);
    expect(applyOperations(document, [operation])).toEqual(E.left(nowhere(operation.path)));
    expect(document).toEqual(before);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  const inside = { name: '0.path', reason: 'lies inside of what is moved' };
  const differs = { name: '0.value', reason: 'differs from the current value of /a' };
  test.each<[name: string, document: unknown, operation: PatchOperation, then: object]>([
    ['an inherited name, copied', {}, copy('/constructor', '/a'), nowhere('/constructor', 'from')],
    ['a move from nowhere', {}, move('/a', '/b'), nowhere('/a', 'from')],
    ['a move into its own child', { a: { b: 1 } }, move('/a', '/a/b'), inside],
    ['a move of an item into the one that takes its place', [{}, {}], move('/0', '/0/a'), inside],
    ['a move of the document into itself', { a: 1 }, move('', '/b'), inside],
    ['a test that differs', { a: 1 }, check('/a', '1'), differs],
    ['a test of an array by an object', { a: [] }, check('/a', {}), differs],
    ['a test of a value with more members', { a: { b: 1 } }, check('/a', {}), differs],
  ])('%s', (_name, document, operation, then) => expect(applyOperations(document, [operation])).toEqual(E.left(then)));

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

  test('what nests too deep is not copied, however deep the stack is', () => {
    const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });
    const below = (levels: number): string => `/z${'/a'.repeat(levels)}`;
    const operations = [add('/z', nested(30)), copy('/z', below(31)), copy('/z', below(62))];
    expect(applyOperations({}, operations)).toEqual(E.left({ name: '2.from', reason: 'nests too deep to be copied' }));
  });
});

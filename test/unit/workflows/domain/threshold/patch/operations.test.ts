import { describe, expect, test } from 'vitest';
import { PATCH_BYTES } from '../../../../../../workflows/domain/limits';
import { patchOperations } from '../../../../../../workflows/domain/threshold/patch';
import { add, check, copy, move, remove, replace } from '../../../../../support/patch-operations';
import { decoded, reasonsOf } from '../../../../../support/reasons-of';

const codec = patchOperations();
const ops = 'must be one of add, replace, test, move, copy, remove';
const pointer = 'must be a JSON Pointer, such as /overall/innerHigh';

describe('a JSON Patch', () => {
  test.each<[name: string, given: ReadonlyArray<unknown>, then?: ReadonlyArray<unknown>]>([
    ['of nothing', []],
    [
      'of all six operations',
      [add('/a', 1), replace('/a', null), check('/a', []), move('/a', '/b'), copy('/b', '/c'), remove('/b')],
    ],
    ['of the whole document', [check('', {})]],
    ['with escapes', [remove('/a~0b~1c/~01')]],
    ['with an empty token', [remove('//')]],
    [
      'with members that its operations do not need',
      [
        { op: 'remove', path: '/a', value: 1, from: 7, comment: 'x' },
        { op: 'move', path: '/a', from: '/b', value: 1 },
        { op: 'add', path: '/a', from: 'no pointer', value: 1 },
      ],
      [
        { op: 'remove', path: '/a' },
        { op: 'move', path: '/a', from: '/b' },
        { op: 'add', path: '/a', value: 1 },
      ],
    ],
  ])('%s is one', (_name, given, then = given) => expect(decoded(codec, given)).toStrictEqual(then));

  const refused: ReadonlyArray<readonly [given: unknown, ...then: ReadonlyArray<string>]> = [
    [{ op: 'remove', path: '/a' }, ': must be an array'],
    ['remove', ': must be an array'],
    [[7, null, []], '0: must be an object', '1: must be an object', '2: must be an object'],
    [[{ path: '/a' }], `0.op: ${ops}`],
    ...['spam', '_get', 'constructor', '__proto__', 'ADD'].map(
      (op) => [[{ op, path: '/a', value: 1 }], `0.op: ${ops}`] as const,
    ),
    [[{ op: 'remove' }], '0.path: is required'],
    ...[null, 'a', '/a~2b', '/a~'].map((path) => [[{ op: 'remove', path }], `0.path: ${pointer}`] as const),
    ...['add', 'replace', 'test'].map((op) => [[{ op, path: '/a' }], '0.value: is required'] as const),
    ...['move', 'copy'].map((op) => [[{ op, path: '/a' }], '0.from: is required'] as const),
    [[{ op: 'copy', path: '/a', from: 'b' }], `0.from: ${pointer}`],
    [[{ op: 'copy', path: 'a', from: 1 }], `0.from: ${pointer}`, `0.path: ${pointer}`],
    [[add('/a', JSON.parse('['.repeat(40) + ']'.repeat(40)))], '0.value: must nest at most 32 levels'],
    [Array.from({ length: 101 }, () => remove('/a')), ': must have at most 100 items'],
    [[add('/a', 'x'.repeat(PATCH_BYTES))], `: must be at most ${PATCH_BYTES} bytes as JSON`],
  ];
  test.each(refused.map(([given, ...then]) => ({ given, then })))('refuses $then', ({ given, then }) => {
    expect(reasonsOf(codec, given)).toEqual(then);
  });

  test('takes fewer operations where the API is set to it', () => {
    const two = [remove('/a'), remove('/b')];
    expect(reasonsOf(patchOperations(1), two)).toEqual([': must have at most 1 items']);
    expect(reasonsOf(patchOperations(2), two)).toEqual([]);
  });

  test('tells its JSON Schema', () => {
    expect(codec.schema).toMatchObject({
      type: 'array',
      maxItems: 100,
      items: {
        anyOf: [
          { required: ['op', 'path', 'value'], properties: { path: { type: 'string', format: 'json-pointer' } } },
          { required: ['op', 'from', 'path'], properties: { from: { type: 'string', format: 'json-pointer' } } },
          { required: ['op', 'path'], properties: { op: { enum: ['remove'] } } },
        ],
      },
    });
  });
});

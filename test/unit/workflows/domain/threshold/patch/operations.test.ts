import { describe, expect, test } from 'vitest';
import { PATCH_BYTES } from '../../../../../../workflows/domain/limits';
import { patchOperations } from '../../../../../../workflows/domain/threshold/patch';
import { decoded, reasonsOf } from '../../../../../support/reasons-of';

const codec = patchOperations();
const ops = 'must be one of add, replace, test, move, copy, remove';
const pointer = 'must be a JSON Pointer, such as /overall/innerHigh';

describe('a JSON Patch', () => {
  test.each<[name: string, given: ReadonlyArray<unknown>, then?: ReadonlyArray<unknown>]>([
    ['of nothing', []],
    [
      'of all six operations',
      [
        { op: 'add', path: '/a', value: 1 },
        { op: 'replace', path: '/a', value: null },
        { op: 'test', path: '/a', value: [] },
        { op: 'move', path: '/b', from: '/a' },
        { op: 'copy', path: '/c', from: '/b' },
        { op: 'remove', path: '/b' },
      ],
    ],
    ['of the whole document', [{ op: 'test', path: '', value: {} }]],
    ['with escapes', [{ op: 'remove', path: '/a~0b~1c/~01' }]],
    ['with an empty token', [{ op: 'remove', path: '//' }]],
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
  ])('%s is one', (_name, given, then = given) => {
    expect(decoded(codec, given)).toStrictEqual(then);
  });

  test.each<[name: string, given: unknown, then: ReadonlyArray<string>]>([
    ['no array', { op: 'remove', path: '/a' }, [': must be an array']],
    ['text', 'remove', [': must be an array']],
    [
      'an operation that is no object',
      [7, null, []],
      ['0: must be an object', '1: must be an object', '2: must be an object'],
    ],
    ['no op', [{ path: '/a' }], [`0.op: ${ops}`]],
    ['an unknown op', [{ op: 'spam', path: '/a' }], [`0.op: ${ops}`]],
    ['an op that the library keeps for itself', [{ op: '_get', path: '/a' }], [`0.op: ${ops}`]],
    [
      'an inherited name as op',
      [
        { op: 'constructor', path: '/a' },
        { op: '__proto__', path: '/a' },
      ],
      [`0.op: ${ops}`, `1.op: ${ops}`],
    ],
    ['an op in capitals', [{ op: 'ADD', path: '/a', value: 1 }], [`0.op: ${ops}`]],
    ['no path', [{ op: 'remove' }], ['0.path: is required']],
    ['a path that is null', [{ op: 'remove', path: null }], [`0.path: ${pointer}`]],
    ['a path without its slash', [{ op: 'remove', path: 'a' }], [`0.path: ${pointer}`]],
    ['an escape that is none', [{ op: 'remove', path: '/a~2b' }], [`0.path: ${pointer}`]],
    ['a tilde at the end', [{ op: 'remove', path: '/a~' }], [`0.path: ${pointer}`]],
    ['add without a value', [{ op: 'add', path: '/a' }], ['0.value: is required']],
    [
      'replace and test without a value',
      [
        { op: 'replace', path: '/a' },
        { op: 'test', path: '/a' },
      ],
      ['0.value: is required', '1.value: is required'],
    ],
    [
      'move and copy without a from',
      [
        { op: 'move', path: '/a' },
        { op: 'copy', path: '/a' },
      ],
      ['0.from: is required', '1.from: is required'],
    ],
    ['a from that is no pointer', [{ op: 'copy', path: '/a', from: 'b' }], [`0.from: ${pointer}`]],
    ['faults in both members', [{ op: 'copy', path: 'a', from: 1 }], [`0.from: ${pointer}`, `0.path: ${pointer}`]],
    [
      'a value that nests without end',
      [{ op: 'add', path: '/a', value: JSON.parse('['.repeat(40) + ']'.repeat(40)) }],
      ['0.value: must nest at most 32 levels'],
    ],
    [
      '101 operations',
      Array.from({ length: 101 }, () => ({ op: 'remove', path: '/a' })),
      [': must have at most 100 items'],
    ],
    [
      'more than 64 KiB',
      [{ op: 'add', path: '/a', value: 'x'.repeat(PATCH_BYTES) }],
      [`: must be at most ${PATCH_BYTES} bytes as JSON`],
    ],
  ])('%s is none', (_name, given, then) => {
    expect(reasonsOf(codec, given)).toEqual(then);
  });

  test('takes fewer operations where the API is set to it', () => {
    const two = [
      { op: 'remove', path: '/a' },
      { op: 'remove', path: '/b' },
    ];
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
          { required: ['op', 'path', 'from'], properties: { from: { type: 'string', format: 'json-pointer' } } },
          { required: ['op', 'path'], properties: { op: { enum: ['remove'] } } },
        ],
      },
    });
  });
});

import { fc, test } from '@fast-check/vitest';
import * as E from 'fp-ts/Either';
import { describe, expect } from 'vitest';
import { decode, isRecord, jsonBytes } from '../../../../../workflows/domain/codecs';
import { hardLimits, PATCH_BYTES } from '../../../../../workflows/domain/limits';
import {
  applyOperations,
  patchOperations,
  type PatchOperation,
  applyPatch,
} from '../../../../../workflows/domain/threshold/patch';
import { storedThreshold, thresholdInput, thresholdView } from '../../../../../workflows/domain/threshold/threshold';
import { anyJson } from '../../../../support/arbitraries/from-schema';
import { operations } from '../../../../support/arbitraries/command';
import { thresholds } from '../../../../support/arbitraries/threshold';
import { decoded } from '../../../../support/reasons-of';
import { patchThreshold } from '../../../../support/commands';
import { nodeAfter, nodeId, send, START } from '../../../../support/scenario';

const patches = operations.map((given) => decoded(patchOperations(), given));

/** Every pointer into `value`, itself first, and at each array and object one that is not there. */
const pointersIn = (value: unknown, at = ''): ReadonlyArray<string> => {
  if (typeof value !== 'object' || value === null) return [at];
  const below = Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    pointersIn(member, `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
  return [at, ...below, `${at}/${Array.isArray(value) ? '-' : 'none'}`];
};

const patchesOf = (document: unknown): fc.Arbitrary<ReadonlyArray<PatchOperation>> => {
  const pointer = fc.constantFrom(...pointersIn(document));
  return fc.array(
    fc.oneof(
      fc.record({
        op: fc.constantFrom('add' as const, 'replace' as const, 'test' as const),
        path: pointer,
        value: fc.jsonValue({ maxDepth: 1 }),
      }),
      fc.record({ op: fc.constantFrom('move' as const, 'copy' as const), path: pointer, from: pointer }),
      fc.record({ op: fc.constant('remove' as const), path: pointer }),
    ),
    { maxLength: 5 },
  );
};
const documentAndPatch = fc
  .jsonValue({ maxDepth: 3 })
  .chain((document) => fc.tuple(fc.constant(document), patchesOf(document)));

const frozen = <A>(value: A): A => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
};

describe('operations on any document', () => {
  test.prop([documentAndPatch], { numRuns: 500 })(
    'apply all together, or the first that fails is told',
    ([document, patch]) => {
      const together = applyOperations(document, patch);
      const firstFault = patch.findIndex((_, index) => E.isLeft(applyOperations(document, patch.slice(0, index + 1))));
      if (E.isLeft(together)) expect(together.left.name.startsWith(`${firstFault}.`)).toBe(true);
      else expect(firstFault).toBe(-1);
    },
  );

  test.prop([documentAndPatch], { numRuns: 500 })('change neither the document nor themselves', ([document, patch]) => {
    const before = JSON.stringify([document, patch]);
    const first = applyOperations(frozen(document), frozen(patch));
    expect(applyOperations(document, patch)).toStrictEqual(first);
    expect(JSON.stringify([document, patch])).toBe(before);
  });

  test.prop([documentAndPatch], { numRuns: 500 })('in two parts are those in one', ([document, patch]) => {
    const [one, other] = [patch.slice(0, 2), patch.slice(2)];
    const inParts = E.chain((half: unknown) => applyOperations(half, other))(applyOperations(document, one));
    const inOne = applyOperations(document, patch);
    expect(E.isRight(inParts)).toBe(E.isRight(inOne));
    if (E.isRight(inOne)) expect(inParts).toStrictEqual(inOne);
  });

  test.prop([anyJson])('a test of what stands at each place holds, and leaves the document', (document) => {
    fc.pre(!JSON.stringify(document).includes('__proto__'));
    const places = pointersIn(document).filter((pointer) => !/\/(?:-|none)$/u.test(pointer));
    const patch = places.map((path): PatchOperation => ({ op: 'test', path, value: valueAt(document, path) }));
    fc.pre(!places.some((path) => path.split('/').some((token) => token in {})));
    expect(applyOperations(document, patch)).toStrictEqual(E.right(document));
  });
});

const valueAt = (document: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (place, token) => (Array.isArray(place) ? place[Number(token)] : isRecord(place) ? place[token] : undefined),
      document,
    );

describe('a patch of a threshold', () => {
  test.prop([thresholds, patches], { numRuns: 500 })(
    'yields a threshold of the same node, or a conflict with reasons',
    (threshold, patch) => {
      const patched = applyPatch(nodeId, frozen(threshold), frozen(patch));
      if (E.isLeft(patched)) expect(patched.left).not.toEqual([]);
      else expect(decoded(storedThreshold, JSON.parse(JSON.stringify(patched.right)))).toStrictEqual(patched.right);
    },
  );

  test.prop([thresholds, thresholds])('can replace the whole document by another one', (one, other) => {
    const patch = [
      { op: 'test' as const, path: '', value: thresholdView(nodeId, one) },
      { op: 'replace' as const, path: '', value: thresholdView(nodeId, other) },
    ];
    expect(applyPatch(nodeId, one, patch)).toStrictEqual(E.right(other));
  });

  test.prop([thresholds, fc.uuid()])('cannot change the node id', (threshold, id) => {
    fc.pre(id !== nodeId);
    expect(applyPatch(nodeId, threshold, [{ op: 'replace', path: '/nodeId', value: id }])).toEqual(
      E.left([{ name: 'nodeId', reason: 'cannot be changed' }]),
    );
  });
});

const most = fc.nat(4);
const lowered = fc.record({ choices: most, bands: most, hals: most, textLength: most }, { requiredKeys: [] });

test.prop([thresholds, lowered])(
  'a patch under the limits of an API is taken just where they allow a PUT of what it leaves',
  (threshold, limits) => {
    const value = { ...thresholdView(nodeId, threshold), fullScale: 7.5 };
    const operation = { op: 'replace', path: '', value };
    fc.pre(jsonBytes([operation]) <= PATCH_BYTES);
    const put = decode(thresholdInput({ ...hardLimits, ...limits }), value);
    const patch = patchThreshold([operation], { limits });
    expect(E.isRight(send(nodeAfter([]), patch, START))).toBe(E.isRight(put));
  },
);

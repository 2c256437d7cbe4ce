import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decode } from '../../../../../../workflows/domain/codecs';
import { applyOperations, patchOperations } from '../../../../../../workflows/domain/threshold/patch';

interface SuiteCase {
  readonly comment?: string;
  readonly doc: unknown;
  readonly patch: ReadonlyArray<unknown>;
  readonly expected?: unknown;
  /** What the patch must fail with, in the suite's own words. */
  readonly error?: string;
}

/**
 * Cases that cannot be asked here. Both are of an operation that names `op` twice: JSON.parse has kept one by the time
 * that a patch is decoded, so the reader of bodies refuses it. The suite itself turns them off; its other cases that are
 * turned off are run.
 */
const beyondUs: ReadonlyArray<string> = ['duplicate ops', 'A.13 Invalid JSON Patch Document'];

const isSuite = (suite: unknown): suite is ReadonlyArray<SuiteCase> =>
  Array.isArray(suite) && suite.every((one: unknown) => typeof one === 'object' && one !== null && 'patch' in one);

const casesOf = (file: string): ReadonlyArray<SuiteCase> => {
  const suite: unknown = JSON.parse(readFileSync(require.resolve(`json-patch-test-suite/${file}`), 'utf8'));
  if (!isSuite(suite)) throw new Error(`${file} is no suite`);
  return suite.filter(({ comment = '' }) => !beyondUs.includes(comment));
};

/** What comes of a case: the patched document, or that it is refused, by the decoder or for the document. */
const outcomeOf = ({ doc, patch }: SuiteCase): unknown =>
  pipe(
    decode(patchOperations(), patch),
    E.chainW((operations) => applyOperations(doc, operations)),
    E.getOrElseW(() => 'refused'),
  );

const nameOf = ({ comment, doc, patch }: SuiteCase, index: number): string =>
  `${index}: ${comment ?? `${JSON.stringify(patch)} on ${JSON.stringify(doc)}`}`.slice(0, 120).replaceAll('%', '%%');

describe.each([
  { file: 'tests.json', count: 77 },
  { file: 'spec_tests.json', count: 16 },
])('the suite of JSON Patch, $file', ({ file, count }) => {
  const cases = casesOf(file);

  test('is all there', () => expect(cases).toHaveLength(count));

  test.each(cases.map((one, index) => [nameOf(one, index), one] as const))('%s', (_name, one) => {
    const before = structuredClone(one);
    const outcome = outcomeOf(one);
    if (one.error === undefined) expect(outcome).toEqual('expected' in one ? one.expected : one.doc);
    else expect(outcome).toBe('refused');
    expect(one).toEqual(before);
  });
});

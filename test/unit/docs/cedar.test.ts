import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerTo } from '../../../docs/examples/authzen-cedar/authzen';
import { createDecider } from '../../../docs/examples/authzen-cedar/cedar';
import { projectRoot } from '../../../dev/stack/project-root';
import { anId } from '../../support/scenario';
import { folderOfTest } from '../../support/temporary-folder';

const [A, B, C, D] = [anId(1), anId(2), anId(3), anId(4)];

const deciderOf = (parents: Readonly<Record<string, string>>) => {
  const hierarchy = join(folderOfTest(), 'hierarchy.json');
  const nodes = Object.entries(parents).map(([id, parent]) => ({ id, parent }));
  writeFileSync(hierarchy, JSON.stringify({ nodes }));
  const example = (name: string): string => join(projectRoot, 'docs/examples/authzen-cedar', name);
  const [grants, policies, schema] = ['grants.json', 'policies.cedar', 'schema.cedarschema'].map(example);
  return createDecider({ hierarchy, grants: grants ?? '', policies: policies ?? '', schema: schema ?? '' });
};

test.each([
  ['itself', { [A]: A }],
  ['one that is below it', { [A]: B, [B]: C, [C]: B.toUpperCase(), [D]: A }],
])('the decision point refuses a hierarchy in which a node has %s as parent', (_, parents) => {
  expect(() => deciderOf(parents)).toThrow(/the node \S+ is its own ancestor/u);
});

test('the decision point takes several nodes that share their ancestors', () => {
  expect(() => deciderOf({ [A]: C, [B]: C, [C]: D })).not.toThrow();
});

test.each([[{}], [null], ['x'], [5]])(
  'evaluations that are %j, no list, are refused, not taken for one question',
  (evaluations) => {
    const one = { subject: { type: 'user', id: A }, action: { name: 'x' }, resource: { type: 'node', id: B } };
    const answer = answerTo('/access/v1/evaluations', { ...one, evaluations }, () => true);
    expect(answer.status).toBe(400);
    expect(answerTo('/access/v1/evaluations', { ...one, evaluations: [] }, () => true).status).toBe(200);
  },
);

test.each([
  ['a question without a resource', { evaluations: [{}, { resource: 'x' }] }],
  ['a question that is no object', { evaluations: ['x'] }],
  ['a semantic that is not known', { evaluations: [{}], options: { evaluations_semantic: 'any' } }],
  [
    'so many questions that nobody else is answered meanwhile',
    { evaluations: Array.from({ length: 2_001 }, () => ({})) },
  ],
])('a list with %s is refused, not answered by its defaults', (_, list) => {
  const one = { subject: { type: 'user', id: A }, action: { name: 'x' }, resource: { type: 'node', id: B } };
  const answer = answerTo('/access/v1/evaluations', { ...one, ...list }, () => true);
  expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['error']]);
  expect(answerTo('/access/v1/evaluations', { ...one, evaluations: [{}, {}] }, () => true)).toEqual({
    status: 200,
    body: { evaluations: [{ decision: true }, { decision: true }] },
  });
});

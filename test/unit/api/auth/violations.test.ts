import { describe, expect, test } from 'vitest';
import { type Grant, indexGrants, violations } from '../../../../api/auth/grants';
import { actions, type Permission } from '../../../../api/ports';
import { BATCH, endpoints, GET_STATUS, GET_THRESHOLD, motor, other, parents, pump, rows } from './permission-rows';

const parentOf = (nodeId: string): string | undefined => parents[nodeId];

const lacking = (grants: ReadonlyArray<Grant>, wanted: ReadonlyArray<Permission>, user = 'ada') =>
  violations(indexGrants(grants), parentOf, user, wanted);

describe.each(endpoints)('%s', (_, wanted) => {
  const needed = [...new Set(wanted.map(({ action }) => action))];

  test('is allowed by just its actions on the node', () => {
    expect(lacking([{ user: 'ada', actions: needed, node: pump }], wanted)).toEqual([]);
  });

  test('lacks everything without a grant', () => {
    expect(lacking([], wanted)).toEqual(wanted);
  });

  test.each(needed)('lacks %s when every action but that is granted', (missing) => {
    const rest = actions.filter((action) => action !== missing);
    expect(lacking([{ user: 'ada', actions: rest, node: '*' }], wanted)).toEqual(
      wanted.filter(({ action }) => action === missing),
    );
  });

  test('lacks everything when the actions are granted to another user', () => {
    expect(lacking([{ user: 'bob', actions: needed, node: pump }], wanted)).toEqual(wanted);
  });

  test('lacks what belongs to the node when the actions are granted elsewhere', () => {
    expect(lacking([{ user: 'ada', actions: needed, node: other }], wanted)).toEqual(
      wanted.filter(({ resource }) => resource !== '*'),
    );
  });
});

describe('a grant', () => {
  test.each(rows)('on %s', (_, grant, user, action, resource, expected) => {
    const found = lacking([grant], [{ action, resource }], user);
    expect(found).toEqual(expected === 'allowed' ? [] : [{ action, resource }]);
  });

  test('to a UUID holds in either case', () => {
    const user = '0B6F0C1A-7C55-4C3B-8A54-6C0E5B1F2D3E';
    const wanted = [{ action: GET_STATUS, resource: pump }] as const;
    expect(lacking([{ user, actions: ['*'], node: '*' }], wanted, user.toLowerCase())).toEqual([]);
    expect(lacking([{ user: user.toLowerCase(), actions: ['*'], node: '*' }], wanted, user)).toEqual([]);
  });

  test('adds to the others of the user and of every user', () => {
    const grants: ReadonlyArray<Grant> = [
      { user: 'ada', actions: [BATCH], node: pump },
      { user: '*', actions: [GET_THRESHOLD], node: motor },
      { user: 'ada', actions: [GET_THRESHOLD], node: other },
    ];
    const wanted = [
      { action: BATCH, resource: '*' },
      ...[motor, other, pump].map((resource) => ({ action: GET_THRESHOLD, resource }) as const),
    ] as const;
    expect(lacking(grants, wanted)).toEqual([{ action: GET_THRESHOLD, resource: pump }]);
  });
});

test('a thousand nodes, forty levels deep, are not compared with each of a hundred thousand grants', () => {
  const above = new Map<string, string>();
  const leaves = Array.from({ length: 1_000 }, (_, leaf) => {
    for (let level = 1; level < 40; level += 1) above.set(`${leaf}.${level}`, `${leaf}.${level - 1}`);
    return `${leaf}.39`;
  });
  const grants = Array.from({ length: 100_000 }, (_, index): Grant => ({
    user: `user-${index % 200}`,
    actions: [GET_THRESHOLD],
    node: `${index % 1_000}.0`,
  }));
  const index = indexGrants(grants);
  const wanted = leaves.map((resource) => ({ action: GET_THRESHOLD, resource }) as const);
  const asked = performance.now();
  const found = violations(index, (nodeId) => above.get(nodeId), 'user-7', wanted);
  const took = performance.now() - asked;
  expect(found).toHaveLength(995);
  expect(took).toBeLessThan(3_000); // milliseconds by an index, more than ten seconds by comparing
});

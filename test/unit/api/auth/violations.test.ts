import { describe, expect, test } from 'vitest';
import { type Grant, indexGrants, violations } from '../../../../api/auth/grants';
import { actions, type Action, type Permission } from '../../../../api/ports';

/** A tree of nodes: who is above whom. `other` is not in it. */
const [plant, line, pump, motor, other] = ['plant', 'line', 'pump', 'motor', 'other'];
const parents: Readonly<Record<string, string>> = { line: plant, pump: line, motor: pump };

const GET_THRESHOLD = 'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD';
const SET_THRESHOLD = 'POINT_ALARM_STATUS::SET_ALARM_THRESHOLD';
const BATCH = 'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD_BATCH';
const GET_STATUS = 'POINT_ALARM_STATUS::GET_ALARM_STATUS';
const UPDATE_STATUS = 'POINT_ALARM_STATUS::UPDATE_ALARM_STATUS';
const SET_EXTERNAL = 'POINT_ALARM_STATUS::SET_EXTERNAL_ALARM_STATUS';

/** The rows of the specification's Authentication table: what each endpoint asks for. */
const endpoints: ReadonlyArray<readonly [string, ReadonlyArray<Permission>]> = [
  ['PUT threshold', [{ action: SET_THRESHOLD, resource: pump }]],
  ['PATCH threshold', [{ action: SET_THRESHOLD, resource: pump }]],
  ['GET threshold', [{ action: GET_THRESHOLD, resource: pump }]],
  [
    'POST threshold batch',
    [
      { action: BATCH, resource: '*' },
      { action: GET_THRESHOLD, resource: pump },
      { action: GET_THRESHOLD, resource: motor },
    ],
  ],
  ['GET alarm status', [{ action: GET_STATUS, resource: pump }]],
  ['PUT alarm status', [{ action: UPDATE_STATUS, resource: pump }]],
  ['PUT external alarm status', [{ action: SET_EXTERNAL, resource: pump }]],
];

/** What is granted, who asks for which action on which node, and the answer. */
type Row = readonly [string, Grant, string, Action, string, 'allowed' | 'refused'];
const rows: ReadonlyArray<Row> = [
  ['the node itself', { user: 'ada', actions: [GET_STATUS], node: pump }, 'ada', GET_STATUS, pump, 'allowed'],
  ['a child', { user: 'ada', actions: [GET_STATUS], node: line }, 'ada', GET_STATUS, pump, 'allowed'],
  ['a distant descendant', { user: 'ada', actions: [GET_STATUS], node: plant }, 'ada', GET_STATUS, motor, 'allowed'],
  ['the parent', { user: 'ada', actions: [GET_STATUS], node: pump }, 'ada', GET_STATUS, line, 'refused'],
  ['a node elsewhere', { user: 'ada', actions: [GET_STATUS], node: plant }, 'ada', GET_STATUS, other, 'refused'],
  ['every node', { user: 'ada', actions: [GET_STATUS], node: '*' }, 'ada', GET_STATUS, other, 'allowed'],
  ['every action', { user: 'ada', actions: ['*'], node: pump }, 'ada', SET_EXTERNAL, pump, 'allowed'],
  ['every action, elsewhere', { user: 'ada', actions: ['*'], node: pump }, 'ada', SET_EXTERNAL, other, 'refused'],
  ['no action', { user: 'ada', actions: [], node: '*' }, 'ada', GET_STATUS, pump, 'refused'],
  ['every user', { user: '*', actions: [GET_STATUS], node: pump }, 'somebody', GET_STATUS, pump, 'allowed'],
  [
    'every user, another action',
    { user: '*', actions: [GET_STATUS], node: '*' },
    'ada',
    UPDATE_STATUS,
    pump,
    'refused',
  ],
  ['a user named like every user', { user: 'ada', actions: ['*'], node: '*' }, '*', GET_STATUS, pump, 'refused'],
  [
    'a user named like a member of every object',
    { user: 'ada', actions: ['*'], node: '*' },
    '__proto__',
    GET_STATUS,
    pump,
    'refused',
  ],
  ['the same name in another case', { user: 'ada', actions: ['*'], node: '*' }, 'Ada', GET_STATUS, pump, 'refused'],
  ['the batch by a grant on any node', { user: 'ada', actions: [BATCH], node: other }, 'ada', BATCH, '*', 'allowed'],
  [
    'the batch by a grant of another action',
    { user: 'ada', actions: [GET_THRESHOLD], node: '*' },
    'ada',
    BATCH,
    '*',
    'refused',
  ],
  ['the batch by a grant of every action', { user: 'ada', actions: ['*'], node: other }, 'ada', BATCH, '*', 'allowed'],
];

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

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

const on = (resource: string, ...wanted: ReadonlyArray<Action>): ReadonlyArray<Permission> =>
  wanted.map((action) => ({ action, resource }));

/** The rows of the specification's Authentication table: what each endpoint asks for. */
const endpoints: ReadonlyArray<readonly [string, ReadonlyArray<Permission>]> = [
  ['PUT threshold', on(pump, SET_THRESHOLD)],
  ['PATCH threshold', on(pump, SET_THRESHOLD)],
  ['GET threshold', on(pump, GET_THRESHOLD)],
  ['POST threshold batch', [...on('*', BATCH), ...on(pump, GET_THRESHOLD), ...on(motor, GET_THRESHOLD)]],
  ['GET alarm status', on(pump, GET_STATUS)],
  ['PUT alarm status', on(pump, UPDATE_STATUS)],
  ['PUT external alarm status', on(pump, SET_EXTERNAL)],
];

/** What is granted to whom, who asks for which action on which node, and the answer. */
type Row = readonly [
  name: string,
  granted: readonly [user: string, actions: Grant['actions'], node: string],
  asked: readonly [user: string, action: Action, node: string],
  answer: 'allowed' | 'refused',
];
const rows: ReadonlyArray<Row> = [
  ['the node itself', ['ada', [GET_STATUS], pump], ['ada', GET_STATUS, pump], 'allowed'],
  ['a child', ['ada', [GET_STATUS], line], ['ada', GET_STATUS, pump], 'allowed'],
  ['a distant descendant', ['ada', [GET_STATUS], plant], ['ada', GET_STATUS, motor], 'allowed'],
  ['the parent', ['ada', [GET_STATUS], pump], ['ada', GET_STATUS, line], 'refused'],
  ['a node elsewhere', ['ada', [GET_STATUS], plant], ['ada', GET_STATUS, other], 'refused'],
  ['every node', ['ada', [GET_STATUS], '*'], ['ada', GET_STATUS, other], 'allowed'],
  ['every action', ['ada', ['*'], pump], ['ada', SET_EXTERNAL, pump], 'allowed'],
  ['every action, elsewhere', ['ada', ['*'], pump], ['ada', SET_EXTERNAL, other], 'refused'],
  ['no action', ['ada', [], '*'], ['ada', GET_STATUS, pump], 'refused'],
  ['every user', ['*', [GET_STATUS], pump], ['somebody', GET_STATUS, pump], 'allowed'],
  ['every user, another action', ['*', [GET_STATUS], '*'], ['ada', UPDATE_STATUS, pump], 'refused'],
  ['a user named like every user', ['ada', ['*'], '*'], ['*', GET_STATUS, pump], 'refused'],
  ['a user named like a member of every object', ['ada', ['*'], '*'], ['__proto__', GET_STATUS, pump], 'refused'],
  ['the same name in another case', ['ada', ['*'], '*'], ['Ada', GET_STATUS, pump], 'refused'],
  ['the batch by a grant on any node', ['ada', [BATCH], other], ['ada', BATCH, '*'], 'allowed'],
  ['the batch by a grant of another action', ['ada', [GET_THRESHOLD], '*'], ['ada', BATCH, '*'], 'refused'],
  ['the batch by a grant of every action', ['ada', ['*'], other], ['ada', BATCH, '*'], 'allowed'],
];

const parentOf = (nodeId: string): string | undefined => parents[nodeId];

const lacking = (grants: ReadonlyArray<Grant>, wanted: ReadonlyArray<Permission>, user = 'ada') =>
  violations(indexGrants(grants), parentOf, user, wanted);

describe.each(endpoints)('%s', (_, wanted) => {
  const needed = [...new Set(wanted.map(({ action }) => action))];

  test('is allowed by just its actions on the node', () => {
    expect(lacking([{ user: 'ada', actions: needed, node: pump }], wanted)).toEqual([]);
  });

  test('lacks everything without a grant', () => expect(lacking([], wanted)).toEqual(wanted));

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
  test.each(rows)('on %s', (_, [user, granted, node], [by, action, resource], answer) => {
    const wanted = on(resource, action);
    expect(lacking([{ user, actions: granted, node }], wanted, by)).toEqual(answer === 'allowed' ? [] : wanted);
  });

  test('to a UUID holds in either case', () => {
    const user = '0B6F0C1A-7C55-4C3B-8A54-6C0E5B1F2D3E';
    const wanted = on(pump, GET_STATUS);
    expect(lacking([{ user, actions: ['*'], node: '*' }], wanted, user.toLowerCase())).toEqual([]);
    expect(lacking([{ user: user.toLowerCase(), actions: ['*'], node: '*' }], wanted, user)).toEqual([]);
  });

  test('adds to the others of the user and of every user', () => {
    const grants: ReadonlyArray<Grant> = [
      { user: 'ada', actions: [BATCH], node: pump },
      { user: '*', actions: [GET_THRESHOLD], node: motor },
      { user: 'ada', actions: [GET_THRESHOLD], node: other },
    ];
    const wanted = [...on('*', BATCH), ...[motor, other, pump].flatMap((node) => on(node, GET_THRESHOLD))];
    expect(lacking(grants, wanted)).toEqual(on(pump, GET_THRESHOLD));
  });
});

import type { Grant } from '../../../../api/auth/grants';
import type { Action, Permission } from '../../../../api/ports';

/** A tree of nodes: who is above whom. `other` is not in it. */
export const [plant, line, pump, motor, other] = ['plant', 'line', 'pump', 'motor', 'other'];
export const parents: Readonly<Record<string, string>> = { line: plant, pump: line, motor: pump };

export const GET_THRESHOLD = 'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD';
const SET_THRESHOLD = 'POINT_ALARM_STATUS::SET_ALARM_THRESHOLD';
export const BATCH = 'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD_BATCH';
export const GET_STATUS = 'POINT_ALARM_STATUS::GET_ALARM_STATUS';
const UPDATE_STATUS = 'POINT_ALARM_STATUS::UPDATE_ALARM_STATUS';
const SET_EXTERNAL = 'POINT_ALARM_STATUS::SET_EXTERNAL_ALARM_STATUS';

/** The rows of the specification's Authentication table: what each endpoint asks for. */
export const endpoints: ReadonlyArray<readonly [string, ReadonlyArray<Permission>]> = [
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
export type Row = readonly [string, Grant, string, Action, string, 'allowed' | 'refused'];
export const rows: ReadonlyArray<Row> = [
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

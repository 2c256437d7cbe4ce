import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { type PatchOperation, applyPatch } from '../../../../../../workflows/domain/threshold/patch';
import type { Threshold } from '../../../../../../workflows/domain/threshold/threshold';
import { add, check, copy, move, remove, replace } from '../../../../../support/patch-operations';
import { overall } from '../../../../../support/measurements';
import { anId, nodeId } from '../../../../../support/scenario';

const limits = { upperAlert: { value: 3, valueType: 1 }, upperDanger: { value: 5, valueType: 1 } } as const;
const [first, second] = [{ label: '1x', overallAlarmThreshold: limits }, { label: '2x' }] as const;
const banded: Threshold = { bandAlarms: [first, second] };
const [innerHigh, outerHigh] = ['/overall/innerHigh', '/overall/outerHigh'];
const patched = (threshold: Threshold, operations: ReadonlyArray<PatchOperation>) =>
  applyPatch(nodeId, threshold, operations);

const limited = (changed: object) => ({ ...overall, overall: { ...overall.overall, ...changed } });
const [typed, higher] = [{ thresholdType: 2, overall: {} }, limited({ innerHigh: 99, outerHigh: 100 })];
test.each<[name: string, given: Threshold, operations: ReadonlyArray<PatchOperation>, then: object]>([
  ['a limit is replaced', overall, [check(innerHigh, 10), replace(innerHigh, 12)], limited({ innerHigh: 12 })],
  ['a limit is removed', overall, [remove('/overall/innerLow')], limited({ innerLow: undefined })],
  ['null on an optional property removes it', overall, [replace(innerHigh, null)], limited({ innerHigh: undefined })],
  [
    'a kind is added where there was none',
    { thresholdType: 0 },
    [add('/overall', {}), replace('/thresholdType', 2)],
    typed,
  ],
  ['what is invalid halfway is valid at the end', overall, [replace(innerHigh, 99), replace(outerHigh, 100)], higher],
  ['the node id is tested', overall, [check('/nodeId', nodeId)], overall],
  ['the node id is replaced by itself, in capitals', overall, [replace('/nodeId', nodeId.toUpperCase())], overall],
  ['the whole document is replaced', overall, [replace('', { nodeId, fullScale: 3 })], { fullScale: 3 }],
  ['a band goes', banded, [remove('/bandAlarms/0')], { bandAlarms: [{ label: '2x' }] }],
  ['bands change places', banded, [move('/bandAlarms/1', '/bandAlarms/0')], { bandAlarms: [second, first] }],
  ['no operation changes nothing', banded, [], banded],
])('a threshold is patched as the document that GET shows %s', (_name, given, operations, then) => {
  const before = structuredClone(given);
  expect(patched(given, operations)).toEqual(E.right(then));
  expect(given).toEqual(before);
});

describe.each(['overallThreshold', 'overallAlarmThreshold'])('the limits of a band are called %s', (name) => {
  const [of, ofSecond] = [`/bandAlarms/0/${name}`, `/bandAlarms/1/${name}`];
  const unlimited = { label: '1x' };
  const raised = { ...limits, upperAlert: { value: 4, valueType: 1 } };
  const lowered = { ...limits, upperDanger: limits.upperAlert };
  const given = { [name]: limits };

  test.each<[name: string, operation: PatchOperation, ...bands: ReadonlyArray<object>]>([
    ['in a path', replace(`${of}/upperAlert/value`, 4), { ...first, overallAlarmThreshold: raised }, second],
    ['in a path to themselves', replace(of, raised), { ...first, overallAlarmThreshold: raised }, second],
    ['in a path to remove', remove(of), unlimited, second],
    ['in a test', check(`${of}/upperDanger`, limits.upperDanger), first, second],
    ['in a from', move(of, ofSecond), unlimited, { ...second, overallAlarmThreshold: limits }],
    ['in a copy', copy(`${of}/upperAlert`, `${of}/upperDanger`), { ...first, overallAlarmThreshold: lowered }, second],
    ['in the value of a band', add('/bandAlarms/-', given), first, second, { overallAlarmThreshold: limits }],
    ['in a band that is tested', check('/bandAlarms/0', { label: '1x', ...given }), first, second],
    ['in the value of all bands', replace('/bandAlarms', [given]), { overallAlarmThreshold: limits }],
    ['in the document', check('', { nodeId, bandAlarms: [{ label: '1x', ...given }, second] }), first, second],
  ])('%s', (_name, operation, ...bandAlarms) => expect(patched(banded, [operation])).toEqual(E.right({ bandAlarms })));
});

test.each<[name: string, given: Threshold, operations: ReadonlyArray<PatchOperation>, then: string]>([
  ['a test that fails', overall, [check(innerHigh, 11)], `0.value: differs from the current value of ${innerHigh}`],
  ['a later one that fails', overall, [replace(innerHigh, 12), remove('/overal')], '1.path: /overal does not exist'],
  ['another node id', overall, [replace('/nodeId', anId(7))], 'nodeId: cannot be changed'],
  ['a node id that goes', overall, [remove('/nodeId')], 'nodeId: cannot be changed'],
  ['a node id that is none', overall, [replace('/nodeId', 'x')], 'nodeId: must be a UUID'],
  ['limits that fall', overall, [replace(innerHigh, 21)], 'overall.outerHigh: must not be below innerHigh (21)'],
  ['a type without its kind', overall, [remove('/overall')], 'overall: is required by thresholdType 2'],
  ['an unknown property', overall, [add('/origin', {})], 'origin: is not a known property'],
  ['a document that goes', overall, [remove('')], ': must be an object'],
  ['a document that is none', overall, [replace('', [])], ': must be an object'],
  ['bands that are none', banded, [replace('/bandAlarms', 7)], 'bandAlarms: must be an array'],
  ['a band that is none', banded, [replace('/bandAlarms/0', 7)], 'bandAlarms.0: must be an object'],
  [
    'a band of both names',
    banded,
    [add('/bandAlarms/0', { overallThreshold: {}, overallAlarmThreshold: {} })],
    'bandAlarms.0.overallAlarmThreshold: must not be given together with overallThreshold, which it is',
  ],
  [
    'the limits of a band that is not there',
    banded,
    [remove('/bandAlarms/2/overallThreshold')],
    '0.path: /bandAlarms/2/overallAlarmThreshold does not exist',
  ],
  ['an overall of that name', banded, [add('/overallThreshold', {})], 'overallThreshold: is not a known property'],
])('refused as a conflict, with nothing changed: %s', (_name, given, operations, then) => {
  const before = structuredClone(given);
  const [name, reason] = then.split(/: (.*)/u);
  expect(patched(given, operations)).toEqual(E.left([{ name, reason }]));
  expect(given).toEqual(before);
});

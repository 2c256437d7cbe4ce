import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { type PatchOperation, applyPatch } from '../../../../../../workflows/domain/threshold/patch';
import { noThreshold, type Threshold } from '../../../../../../workflows/domain/threshold/threshold';
import { add, check, copy, move, remove, replace } from '../../../../../support/patch-operations';
import { nodeId, overall } from '../../../../../support/scenario';

const limits = { upperAlert: { value: 3, valueType: 1 }, upperDanger: { value: 5, valueType: 1 } } as const;
const banded: Threshold = { bandAlarms: [{ label: '1x', overallAlarmThreshold: limits }, { label: '2x' }] };
const patched = (threshold: Threshold, operations: ReadonlyArray<PatchOperation>) =>
  applyPatch(nodeId, threshold, operations);

describe('a threshold is patched as the document that GET shows', () => {
  test.each<[name: string, given: Threshold, operations: ReadonlyArray<PatchOperation>, then: Threshold]>([
    [
      'a limit is replaced',
      overall,
      [check('/overall/innerHigh', 10), replace('/overall/innerHigh', 12)],
      { ...overall, overall: { ...overall.overall, innerHigh: 12 } },
    ],
    [
      'a limit is removed',
      { thresholdType: 1, overall: { innerLow: 1, innerHigh: 2 } },
      [remove('/overall/innerLow')],
      { thresholdType: 1, overall: { innerHigh: 2 } },
    ],
    [
      'null on an optional property removes it',
      { thresholdType: 1, overall: { innerLow: 1 } },
      [replace('/overall/innerLow', null)],
      { thresholdType: 1, overall: {} },
    ],
    [
      'a kind is added where there was none',
      noThreshold,
      [add('/overall', { innerHigh: 1 }), replace('/thresholdType', 2)],
      { thresholdType: 2, overall: { innerHigh: 1 } },
    ],
    [
      'what is invalid halfway is valid at the end',
      overall,
      [replace('/overall/innerHigh', 99), replace('/overall/outerHigh', 100)],
      { ...overall, overall: { ...overall.overall, innerHigh: 99, outerHigh: 100 } },
    ],
    ['the node id is tested', overall, [check('/nodeId', nodeId)], overall],
    ['the node id is replaced by itself, in capitals', overall, [replace('/nodeId', nodeId.toUpperCase())], overall],
    ['the whole document is replaced', overall, [replace('', { nodeId, fullScale: 3 })], { fullScale: 3 }],
    ['a band goes', banded, [remove('/bandAlarms/0')], { bandAlarms: [{ label: '2x' }] }],
    [
      'bands change places',
      banded,
      [move('/bandAlarms/1', '/bandAlarms/0')],
      { bandAlarms: [{ label: '2x' }, { label: '1x', overallAlarmThreshold: limits }] },
    ],
    ['no operation changes nothing', banded, [], banded],
  ])('%s', (_name, given, operations, then) => {
    const before = structuredClone(given);
    expect(patched(given, operations)).toEqual(E.right(then));
    expect(given).toEqual(before);
  });
});

const five = { value: 5, valueType: 1 };
const four = { value: 4, valueType: 1 };

describe.each(['overallThreshold', 'overallAlarmThreshold'])('the limits of a band are called %s', (name) => {
  const [first, second] = ['/bandAlarms/0', '/bandAlarms/1'];
  const raised = {
    bandAlarms: [{ label: '1x', overallAlarmThreshold: { ...limits, upperAlert: four } }, { label: '2x' }],
  };

  test.each<[name: string, operations: ReadonlyArray<PatchOperation>, then: unknown]>([
    ['in a path', [replace(`${first}/${name}/upperAlert/value`, 4)], raised],
    ['in a path to themselves', [replace(`${first}/${name}`, { ...limits, upperAlert: four })], raised],
    ['in a path to remove', [remove(`${first}/${name}`)], { bandAlarms: [{ label: '1x' }, { label: '2x' }] }],
    ['in a test', [check(`${first}/${name}/upperDanger`, five)], banded],
    [
      'in a from',
      [move(`${first}/${name}`, `${second}/${name}`)],
      { bandAlarms: [{ label: '1x' }, { label: '2x', overallAlarmThreshold: limits }] },
    ],
    [
      'in a copy',
      [copy(`${first}/${name}/upperAlert`, `${first}/${name}/upperDanger`)],
      {
        bandAlarms: [
          { label: '1x', overallAlarmThreshold: { ...limits, upperDanger: limits.upperAlert } },
          { label: '2x' },
        ],
      },
    ],
    [
      'in the value of a band',
      [add('/bandAlarms/-', { [name]: limits })],
      { bandAlarms: [...(banded.bandAlarms ?? []), { overallAlarmThreshold: limits }] },
    ],
    ['in a band that is tested', [check(first, { label: '1x', [name]: limits })], banded],
    [
      'in the value of all bands',
      [replace('/bandAlarms', [{ [name]: limits }])],
      { bandAlarms: [{ overallAlarmThreshold: limits }] },
    ],
    [
      'in the whole document',
      [check('', { nodeId, bandAlarms: [{ label: '1x', [name]: limits }, { label: '2x' }] })],
      banded,
    ],
  ])('%s', (_name, operations, then) => {
    expect(patched(banded, operations)).toEqual(E.right(then));
  });
});

describe('refused as a conflict, with nothing changed', () => {
  test.each<[name: string, given: Threshold, operations: ReadonlyArray<PatchOperation>, then: string]>([
    [
      'a test that fails',
      overall,
      [check('/overall/innerHigh', 11)],
      '0.value: differs from the current value of /overall/innerHigh',
    ],
    [
      'a later operation that fails',
      overall,
      [replace('/overall/innerHigh', 12), remove('/overal')],
      '1.path: /overal does not exist',
    ],
    [
      'another node id',
      overall,
      [replace('/nodeId', '00000000-0000-0000-0000-000000000000')],
      'nodeId: cannot be changed',
    ],
    ['a node id that goes', overall, [remove('/nodeId')], 'nodeId: cannot be changed'],
    ['a node id that is none', overall, [replace('/nodeId', 'x')], 'nodeId: must be a UUID'],
    [
      'limits that fall',
      overall,
      [replace('/overall/innerHigh', 21)],
      'overall.outerHigh: must not be below innerHigh (21)',
    ],
    ['a type without its kind', overall, [remove('/overall')], 'overall: is required by thresholdType 2'],
    [
      'an unknown property',
      overall,
      [add('/origin', { id: '1', type: 'a', provider: 'b' })],
      'origin: is not a known property',
    ],
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
    [
      'an overall called by the name of a band’s limits',
      banded,
      [add('/overallThreshold', {})],
      'overallThreshold: is not a known property',
    ],
  ])('%s', (_name, given, operations, then) => {
    const before = structuredClone(given);
    const [name, reason] = then.split(/: (.*)/u);
    expect(patched(given, operations)).toEqual(E.left([{ name, reason }]));
    expect(given).toEqual(before);
  });
});

import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { type PatchOperation, applyPatch } from '../../../../../../workflows/domain/threshold/patch';
import { noThreshold, type Threshold } from '../../../../../../workflows/domain/threshold/threshold';
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
      [
        { op: 'test', path: '/overall/innerHigh', value: 10 },
        { op: 'replace', path: '/overall/innerHigh', value: 12 },
      ],
      { ...overall, overall: { ...overall.overall, innerHigh: 12 } },
    ],
    [
      'a limit is removed',
      { thresholdType: 1, overall: { innerLow: 1, innerHigh: 2 } },
      [{ op: 'remove', path: '/overall/innerLow' }],
      { thresholdType: 1, overall: { innerHigh: 2 } },
    ],
    [
      'null on an optional property removes it',
      { thresholdType: 1, overall: { innerLow: 1 } },
      [{ op: 'replace', path: '/overall/innerLow', value: null }],
      { thresholdType: 1, overall: {} },
    ],
    [
      'a kind is added where there was none',
      noThreshold,
      [
        { op: 'add', path: '/overall', value: { innerHigh: 1 } },
        { op: 'replace', path: '/thresholdType', value: 2 },
      ],
      { thresholdType: 2, overall: { innerHigh: 1 } },
    ],
    [
      'what is invalid halfway is valid at the end',
      overall,
      [
        { op: 'replace', path: '/overall/innerHigh', value: 99 },
        { op: 'replace', path: '/overall/outerHigh', value: 100 },
      ],
      { ...overall, overall: { ...overall.overall, innerHigh: 99, outerHigh: 100 } },
    ],
    ['the node id is tested', overall, [{ op: 'test', path: '/nodeId', value: nodeId }], overall],
    [
      'the node id is replaced by itself, in capitals',
      overall,
      [{ op: 'replace', path: '/nodeId', value: nodeId.toUpperCase() }],
      overall,
    ],
    [
      'the whole document is replaced',
      overall,
      [{ op: 'replace', path: '', value: { nodeId, fullScale: 3 } }],
      { fullScale: 3 },
    ],
    ['a band goes', banded, [{ op: 'remove', path: '/bandAlarms/0' }], { bandAlarms: [{ label: '2x' }] }],
    [
      'bands change places',
      banded,
      [{ op: 'move', from: '/bandAlarms/1', path: '/bandAlarms/0' }],
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
    ['in a path', [{ op: 'replace', path: `${first}/${name}/upperAlert/value`, value: 4 }], raised],
    [
      'in a path to themselves',
      [{ op: 'replace', path: `${first}/${name}`, value: { ...limits, upperAlert: four } }],
      raised,
    ],
    [
      'in a path to remove',
      [{ op: 'remove', path: `${first}/${name}` }],
      { bandAlarms: [{ label: '1x' }, { label: '2x' }] },
    ],
    ['in a test', [{ op: 'test', path: `${first}/${name}/upperDanger`, value: five }], banded],
    [
      'in a from',
      [{ op: 'move', from: `${first}/${name}`, path: `${second}/${name}` }],
      { bandAlarms: [{ label: '1x' }, { label: '2x', overallAlarmThreshold: limits }] },
    ],
    [
      'in a copy',
      [{ op: 'copy', from: `${first}/${name}/upperAlert`, path: `${first}/${name}/upperDanger` }],
      {
        bandAlarms: [
          { label: '1x', overallAlarmThreshold: { ...limits, upperDanger: limits.upperAlert } },
          { label: '2x' },
        ],
      },
    ],
    [
      'in the value of a band',
      [{ op: 'add', path: '/bandAlarms/-', value: { [name]: limits } }],
      { bandAlarms: [...(banded.bandAlarms ?? []), { overallAlarmThreshold: limits }] },
    ],
    ['in a band that is tested', [{ op: 'test', path: first, value: { label: '1x', [name]: limits } }], banded],
    [
      'in the value of all bands',
      [{ op: 'replace', path: '/bandAlarms', value: [{ [name]: limits }] }],
      { bandAlarms: [{ overallAlarmThreshold: limits }] },
    ],
    [
      'in the whole document',
      [{ op: 'test', path: '', value: { nodeId, bandAlarms: [{ label: '1x', [name]: limits }, { label: '2x' }] } }],
      banded,
    ],
  ])('%s', (_name, operations, then) => {
    expect(patched(banded, operations)).toEqual(E.right(then));
  });
});

describe('refused as a conflict, with nothing changed', () => {
  test.each<[name: string, given: Threshold, operations: ReadonlyArray<PatchOperation>, then: ReadonlyArray<string>]>([
    [
      'a test that fails',
      overall,
      [{ op: 'test', path: '/overall/innerHigh', value: 11 }],
      ['0.value: differs from the current value of /overall/innerHigh'],
    ],
    [
      'a later operation that fails',
      overall,
      [
        { op: 'replace', path: '/overall/innerHigh', value: 12 },
        { op: 'remove', path: '/overal' },
      ],
      ['1.path: /overal does not exist'],
    ],
    [
      'another node id',
      overall,
      [{ op: 'replace', path: '/nodeId', value: '00000000-0000-0000-0000-000000000000' }],
      ['nodeId: cannot be changed'],
    ],
    ['a node id that goes', overall, [{ op: 'remove', path: '/nodeId' }], ['nodeId: cannot be changed']],
    ['a node id that is none', overall, [{ op: 'replace', path: '/nodeId', value: 'x' }], ['nodeId: must be a UUID']],
    [
      'limits that fall',
      overall,
      [{ op: 'replace', path: '/overall/innerHigh', value: 21 }],
      ['overall.outerHigh: must not be below innerHigh (21)'],
    ],
    [
      'a type without its kind',
      overall,
      [{ op: 'remove', path: '/overall' }],
      ['overall: is required by thresholdType 2'],
    ],
    [
      'an unknown property',
      overall,
      [{ op: 'add', path: '/origin', value: { id: '1', type: 'a', provider: 'b' } }],
      ['origin: is not a known property'],
    ],
    ['a document that goes', overall, [{ op: 'remove', path: '' }], [': must be an object']],
    ['a document that is none', overall, [{ op: 'replace', path: '', value: [] }], [': must be an object']],
    [
      'bands that are none',
      banded,
      [{ op: 'replace', path: '/bandAlarms', value: 7 }],
      ['bandAlarms: must be an array'],
    ],
    [
      'a band that is none',
      banded,
      [{ op: 'replace', path: '/bandAlarms/0', value: 7 }],
      ['bandAlarms.0: must be an object'],
    ],
    [
      'a band of both names',
      banded,
      [{ op: 'add', path: '/bandAlarms/0', value: { overallThreshold: {}, overallAlarmThreshold: {} } }],
      ['bandAlarms.0.overallAlarmThreshold: must not be given together with overallThreshold, which it is'],
    ],
    [
      'the limits of a band that is not there',
      banded,
      [{ op: 'remove', path: '/bandAlarms/2/overallThreshold' }],
      ['0.path: /bandAlarms/2/overallAlarmThreshold does not exist'],
    ],
    [
      'an overall called by the name of a band’s limits',
      banded,
      [{ op: 'add', path: '/overallThreshold', value: {} }],
      ['overallThreshold: is not a known property'],
    ],
  ])('%s', (_name, given, operations, then) => {
    const before = structuredClone(given);
    const reasons = then.map((line) => ({
      name: line.slice(0, line.indexOf(':')),
      reason: line.slice(line.indexOf(':') + 2),
    }));
    expect(patched(given, operations)).toEqual(E.left(reasons));
    expect(given).toEqual(before);
  });
});

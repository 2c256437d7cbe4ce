import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { GROUP_COMMANDS } from '../../../workflows/domain/limits';
import { applyCommands, groupOf } from '../../../workflows/domain/node/apply-commands';
import { newNode, type Node } from '../../../workflows/domain/node/node';
import {
  dataPoint,
  middling,
  nodeAfter,
  nodeId,
  overall,
  patchThreshold,
  recalculate,
  recordMeasurement,
  setExternalAlarm,
  setThreshold,
  START,
  userId,
  waiting,
  type Sent,
} from '../../scenario';

const entry = ([name, payload]: Sent): unknown => ({ name, ...payload });
const apply = (node: Node, ...entries: ReadonlyArray<unknown>) => applyCommands(node, entries, START, middling);
const raise = patchThreshold([{ op: 'replace', path: '/overall/innerHigh', value: 12 }]);
const raised = { nodeId, ...overall, overall: { ...overall.overall, innerHigh: 12 } };
const refused = (name: string, reason: string) => ({
  _tag: 'Refused',
  refusal: { _tag: 'InvalidCommand', reasons: [{ name, reason }] },
});
const unknownName = refused(
  'name',
  'must be one of setThreshold, patchThreshold, recordMeasurement, recalculate, setExternalAlarm',
);

describe('each command of a group is answered on its own, in order', () => {
  test.each<[name: string, given: ReadonlyArray<Sent>, when: ReadonlyArray<unknown>, then: unknown]>([
    ['none', [], [], { outcomes: [] }],
    [
      'each on what the ones before it left',
      [],
      [entry(setThreshold(overall)), entry(setThreshold({}, { ifMatch: 1 })), entry(recalculate())],
      {
        outcomes: [
          { _tag: 'Applied', revision: 1 },
          { _tag: 'Applied', revision: 2 },
          { _tag: 'Unchanged', revision: 2 },
        ],
      },
    ],
    [
      'a refused one between two others',
      [],
      [
        entry(setThreshold(overall)),
        entry(setThreshold({}, { ifMatch: 0 })),
        entry(setExternalAlarm({ status: 7 })),
        entry(recordMeasurement(dataPoint(1))),
      ],
      {
        outcomes: [
          { _tag: 'Applied', revision: 1 },
          { _tag: 'Refused', refusal: { _tag: 'PreconditionFailed', revision: 1 } },
          refused('status', 'must be one of 0, 1, 2, 3, 4'),
          { _tag: 'Applied', revision: 1 },
        ],
      },
    ],
    [
      'a repeat of one before it',
      [],
      [entry(setThreshold(overall, { requestId: 'a' })), entry(setThreshold(overall, { requestId: 'a' }))],
      {
        outcomes: [
          { _tag: 'Applied', revision: 1 },
          { _tag: 'Unchanged', revision: 1 },
        ],
      },
    ],
    [
      'entries that are no commands',
      [],
      [null, 7, 'recalculate', [], {}, { name: 'applyCommands', commands: [] }, { name: '__proto__' }],
      { outcomes: Array.from({ length: 7 }, () => unknownName) },
    ],
    [
      'an entry with the prototype in it',
      [],
      [JSON.parse('{"name": "recalculate", "userId": "a", "__proto__": {}}')],
      { outcomes: [refused('__proto__', 'is not a known property')] },
    ],
    [
      'a patch shows the threshold as it is after all',
      [setThreshold(overall)],
      [entry(raise), entry(setExternalAlarm({ status: 2 }))],
      {
        outcomes: [
          { _tag: 'Applied', revision: 2 },
          { _tag: 'Applied', revision: 2 },
        ],
        patched: { revision: 2, threshold: raised },
      },
    ],
    [
      'a patch that changes nothing shows it as well',
      [setThreshold(overall)],
      [entry(patchThreshold([]))],
      { outcomes: [{ _tag: 'Unchanged', revision: 1 }], patched: { revision: 1, threshold: { nodeId, ...overall } } },
    ],
    [
      'a refused patch shows nothing',
      [],
      [entry(raise)],
      {
        outcomes: [
          {
            _tag: 'Refused',
            refusal: {
              _tag: 'PatchConflict',
              reasons: [{ name: '0.path', reason: '/overall/innerHigh does not exist' }],
            },
          },
        ],
      },
    ],
    [
      'a patch before a command that is refused',
      [setThreshold(overall)],
      [entry(raise), null],
      { outcomes: [{ _tag: 'Applied', revision: 2 }, unknownName], patched: { revision: 2, threshold: raised } },
    ],
  ])('%s', (_name, given, when, then) => {
    expect(apply(nodeAfter(given), ...when).answer).toEqual(then);
  });
});

describe('a group', () => {
  test('leaves the node, and commits the events, that its commands one by one do', () => {
    const sent = [
      setThreshold(overall, { requestId: 'a' }),
      recordMeasurement(dataPoint(15)),
      raise,
      setExternalAlarm({ status: 3 }),
    ];
    const one = apply(newNode(nodeId), ...sent.map(entry));
    const several = sent.map(entry).reduce<Node>((node, command) => apply(node, command).node, newNode(nodeId));
    expect(one.node).toEqual(several);
    expect(one.events.map(({ _tag }) => _tag)).toEqual([
      'ThresholdSet',
      'StatusUpdated',
      'RequestRemembered',
      'MeasurementRecorded',
      'StatusUpdated',
      'ThresholdSet',
      'StatusUpdated',
      'StatusUpdated',
    ]);
  });

  test('of refusals changes nothing', () => {
    const node = nodeAfter([setThreshold(overall)]);
    const { node: after, events } = apply(
      node,
      null,
      entry(setThreshold({}, { ifMatch: 7 })),
      entry(patchThreshold([])),
    );
    expect(after).toBe(node);
    expect(events).toEqual([]);
  });

  test('draws once for each event that is published', () => {
    let draws = 0;
    const draw = () => [(draws += 1) / 100, 0] as const;
    const { node } = applyCommands(
      newNode(nodeId),
      [entry(setThreshold(overall, { requestId: 'a' })), null, entry(recalculate())],
      START,
      draw,
    );
    expect(waiting(node)).toHaveLength(3);
    expect(draws).toBe(3);
  });

  test.each<[name: string, payload: unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['an array', []],
    ['no commands', {}],
    ['commands that are no array', { commands: {} }],
    ['65 commands', { commands: Array.from({ length: GROUP_COMMANDS + 1 }, () => ({ name: 'recalculate', userId })) }],
  ])('is not %s', (_name, payload) => {
    expect(groupOf(payload)).toEqual(
      E.left({
        _tag: 'InvalidCommand',
        reasons: [{ name: 'commands', reason: 'must be an array of at most 64 commands' }],
      }),
    );
  });

  test('is up to 64 commands, of any kind', () => {
    const commands = Array.from({ length: GROUP_COMMANDS }, () => null);
    expect(groupOf({ commands })).toEqual(E.right(commands));
  });
});

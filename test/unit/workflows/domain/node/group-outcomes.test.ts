import { describe, expect, test } from 'vitest';
import { OUTBOX_BYTES, PATCHED_BYTES } from '../../../../../workflows/domain/limits';
import { GROUP_WORK } from '../../../../../workflows/domain/node/work';
import { newNode, type Node } from '../../../../../workflows/domain/node/state';
import { emptyOutbox } from '../../../../../workflows/domain/node/outbox';
import {
  anId,
  dataPoint,
  nodeAfter,
  nodeId,
  overall,
  patchThreshold,
  recalculate,
  recordMeasurement,
  sendGroup,
  setExternalAlarm,
  setThreshold,
  spectrum,
  type Sent,
} from '../../../../support/scenario';

const entry = ([name, payload]: Sent): unknown => ({ name, ...payload });
const apply = (node: Node, ...entries: ReadonlyArray<unknown>) => sendGroup(node, { commands: entries });
/** `entries` as a group of which `known` is remembered, tried again. */
const repeated = (node: Node, revisions: ReadonlyArray<number | null>, entries: ReadonlyArray<unknown>) => {
  const sentBy = { sender: 'one', sequence: 1 };
  const state = { ...node.state, groups: [{ ...sentBy, revisions }] };
  return sendGroup({ ...node, state }, { commands: entries, sentBy, mayHaveReached: true });
};
const raise = patchThreshold([{ op: 'replace', path: '/overall/innerHigh', value: 12 }]);
const raised = { nodeId, ...overall, overall: { ...overall.overall, innerHigh: 12 } };
const keyed = { idempotencyKey: 'a' };
const applied = (revision: number) => ({ _tag: 'Applied', revision });
const refused = (name: string, reason: string) => ({
  _tag: 'Refused',
  refusal: { _tag: 'InvalidCommand', reasons: [{ name, reason }] },
});
const unknownName = refused(
  'name',
  'must be one of setThreshold, patchThreshold, recordMeasurement, recalculate, setExternalAlarm, republish',
);

describe('each command of a group is answered on its own, in order', () => {
  test.each<[name: string, given: ReadonlyArray<Sent>, when: ReadonlyArray<unknown>, then: unknown]>([
    ['none', [], [], { outcomes: [] }],
    [
      'each on what the ones before it left',
      [],
      [entry(setThreshold(overall)), entry(setThreshold({}, { ifMatch: 1 })), entry(recalculate())],
      {
        outcomes: [applied(1), applied(2), { _tag: 'Unchanged', revision: 2 }],
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
          applied(1),
          { _tag: 'Refused', refusal: { _tag: 'PreconditionFailed', revision: 1 } },
          refused('status', 'must be one of 0, 1, 2, 3, 4'),
          applied(1),
        ],
      },
    ],
    [
      'a repeat of one before it',
      [],
      [entry(setThreshold(overall, keyed)), entry(setThreshold(overall, keyed))],
      {
        outcomes: [applied(1), { _tag: 'Unchanged', revision: 1 }],
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
      'each patch shows the threshold as it left it',
      [setThreshold(overall)],
      [entry(raise), entry(patchThreshold([{ op: 'add', path: '/fullScale', value: 9 }]))],
      {
        outcomes: [
          { _tag: 'Applied', revision: 2, patched: { revision: 2, threshold: raised } },
          { _tag: 'Applied', revision: 3, patched: { revision: 3, threshold: { ...raised, fullScale: 9 } } },
        ],
      },
    ],
    [
      'a patch that changes nothing shows it as well',
      [setThreshold(overall)],
      [entry(patchThreshold([]))],
      {
        outcomes: [{ _tag: 'Unchanged', revision: 1, patched: { revision: 1, threshold: { nodeId, ...overall } } }],
      },
    ],
    [
      'a repeat under a key has the revision that the first one left; of a patch the threshold as it is now',
      [setThreshold({}, keyed), setThreshold(overall), patchThreshold([], { idempotencyKey: 'b' }), setThreshold({})],
      [entry(setThreshold({}, keyed)), entry(patchThreshold([], { idempotencyKey: 'b' }))],
      {
        outcomes: [
          { _tag: 'Unchanged', revision: 1 },
          { _tag: 'Unchanged', revision: 2, patched: { revision: 3, threshold: { nodeId } } },
        ],
      },
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
      {
        outcomes: [{ _tag: 'Applied', revision: 2, patched: { revision: 2, threshold: raised } }, unknownName],
      },
    ],
  ])('%s', (_name, given, when, then) => {
    expect(apply(nodeAfter(given), ...when).answer).toEqual(then);
  });
});

describe('a group', () => {
  test('decided twice it has the same ids, and another node has others', () => {
    const entries = [entry(setThreshold(overall, keyed)), null, entry(recalculate())];
    const idsOf = (id: string) =>
      sendGroup(newNode(id), { commands: entries }).node.outbox.waiting.map(({ sequenceId }) => sequenceId);
    expect(idsOf(nodeId)).toHaveLength(3);
    expect(idsOf(nodeId)).toEqual(idsOf(nodeId));
    expect(idsOf(anId(7))).not.toContain(idsOf(nodeId)[0]);
  });
});

describe('what there is no room for is not taken', () => {
  const choices = Array.from({ length: 100 }, (_, at) => ({ answer: `${at}${'x'.repeat(1_000)}`, status: 2 }));
  const large = setThreshold({ thresholdType: 3, inspection: { choices } });

  test('a command whose events the outbox has no room for, and all that follow it', () => {
    const { node, answer } = apply(
      nodeAfter([]),
      ...Array.from({ length: 8 }, () => entry(large)),
      entry(recalculate()),
    );
    const taken = Math.floor(OUTBOX_BYTES / 103_000);
    expect(answer.outcomes).toEqual(Array.from({ length: taken }, (_, at) => ({ _tag: 'Applied', revision: at + 1 })));
    expect(answer.postponed).toEqual({ _tag: 'OutboxFull', waiting: node.outbox.waiting.length });
    expect(node.state.revision).toBe(taken);
  });

  test('a patch whose threshold the answer has no room for, and all that follow it', () => {
    const patches = [1, 2, 3, 4].map((value) => entry(patchThreshold([{ op: 'add', path: '/fullScale', value }])));
    const { node, answer } = apply(nodeAfter([large]), ...patches, entry(recalculate()));
    expect(answer).toMatchObject({ outcomes: [{ revision: 2 }, { revision: 3 }], postponed: { _tag: 'GroupFull' } });
    expect(JSON.stringify(answer).length).toBeLessThan(PATCHED_BYTES);
    expect(node.state.threshold.fullScale).toBe(2);
  });

  describe('commands for which the group has worked enough', () => {
    const lines = Array.from({ length: 25_600 }, (_, index) => ({ x: index, y: 1 }));
    const bandAlarms = Array.from({ length: 100 }, () => ({}));
    const measured = nodeAfter([setThreshold({ bandAlarms }), recordMeasurement(spectrum(lines))]);
    const node = { ...measured, outbox: emptyOutbox };
    const commands = Array.from({ length: 30 }, (_, value) =>
      entry(patchThreshold([{ op: 'add', path: '/bandAlarms/0/minFrequency', value: { value, valueType: 1 } }])),
    );

    test('and all that follow them', () => {
      const { work, answer } = apply(node, ...commands);
      const taken = answer.outcomes.length;
      expect(taken).toBeGreaterThan(5);
      expect(taken).toBeLessThan(commands.length);
      expect(work).toBeGreaterThanOrEqual(GROUP_WORK);
      expect(work - work / taken).toBeLessThan(GROUP_WORK);
      expect(answer.postponed).toEqual({ _tag: 'GroupFull' });
    });

    test('but not those of a repeat that were answered before', () => {
      const { answer } = repeated(node, [...Array<null>(29).fill(null), 7], commands);
      expect(answer.outcomes).toHaveLength(30);
    });
  });

  test('the first patch always has room', () => {
    const { answer } = apply(nodeAfter([large]), entry(patchThreshold([])), entry(recalculate()));
    expect(answer.postponed).toBeUndefined();
  });
});

describe('a group that is known', () => {
  test('answers again what was carried out, and decides the rest', () => {
    const node = nodeAfter([setThreshold({}), setThreshold(overall)]);
    const { events, answer } = repeated(
      node,
      [1, null],
      [setThreshold({}), setThreshold({}, { ifMatch: 7 }), recalculate()].map(entry),
    );
    expect(answer.outcomes).toEqual([
      applied(1),
      { _tag: 'Refused', refusal: { _tag: 'PreconditionFailed', revision: 2 } },
      applied(2),
    ]);
    expect(events.map(({ _tag }) => _tag)).toEqual(['RatedAnew', 'StatusUpdated', 'GroupTaken']);
  });

  test('is answered up to the last command that was, though the outbox is full: none may come again under another number', () => {
    const choices = Array.from({ length: 100 }, (_, at) => ({ answer: `${at}${'x'.repeat(1_000)}`, status: 2 }));
    const large = setThreshold({ inspection: { choices } });
    const full = nodeAfter([large, large, large, large, large]);
    const { answer } = repeated(full, [1, null, 3], [large, large, large, large].map(entry));
    expect(answer.outcomes).toMatchObject([
      applied(1),
      { _tag: 'Refused', refusal: { _tag: 'OutboxFull' } },
      applied(3),
    ]);
    expect(answer.postponed).toMatchObject({ _tag: 'OutboxFull' });
  });
});

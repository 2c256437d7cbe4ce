import { fc, test } from '@fast-check/vitest';
import * as E from 'fp-ts/Either';
import { describe, expect } from 'vitest';
import { AlarmStatusView } from '../../../../../workflows/domain/alarm/alarm-status';
import { ThresholdView } from '../../../../../workflows/domain/threshold/threshold';
import { type CachedNode, cachedNodeOf, applyEvent } from '../../../../../api/nodes/read-cache';
import {
  continueAsNewArgument,
  decodeArgument,
  newNode,
  type Node,
  alarmStatusView,
  revisedThreshold,
  snapshotView,
} from '../../../../../workflows/domain/node/state';
import type { OutboxEvent } from '../../../../../workflows/domain/node/outbox';
import { fieldNames, fieldTexts, readEntry, type EntryFields } from '../../../../../stream/entry';
import { commands } from '../../../../support/arbitraries/command';
import { measurementsOf } from '../../../../support/arbitraries/measurement';
import { ThresholdInput, thresholds } from '../../../../support/arbitraries/threshold';
import { reasonsOf } from '../../../../support/reasons-of';
import { recordMeasurement, setThreshold } from '../../../../support/commands';
import { nodeId, send, START, type Sent } from '../../../../support/scenario';

/** Nodes that were rated by spectra and data points, then took commands of all kinds; what they refuse is passed over. */
const histories: fc.Arbitrary<ReadonlyArray<Sent>> = fc
  .tuple(thresholds, measurementsOf('SPECTRUM'), measurementsOf('DATA_POINT'), fc.array(commands, { maxLength: 4 }))
  .map(([threshold, spectrum, point, more]) => [
    setThreshold({ ...threshold }),
    recordMeasurement(spectrum),
    recordMeasurement(point),
    ...more,
  ]);

const overJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Every node of a history, from the first command to the last. */
const nodesOf = (history: ReadonlyArray<Sent>): ReadonlyArray<Node> =>
  history.reduce<Node[]>(
    (nodes, sent) => {
      const answer = send(nodes.at(-1) ?? newNode(nodeId), sent, START);
      return E.isRight(answer) ? [...nodes, answer.right.node] : nodes;
    },
    [newNode(nodeId)],
  );

const names = { attributePrefix: 'Vendor.Hierarchy', bandThresholdName: 'overallAlarmThreshold' } as const;
const fieldsOf = (event: OutboxEvent): EntryFields => {
  const texts = fieldTexts(nodeId, event, names);
  return Object.fromEntries(fieldNames(names.attributePrefix).map((name, at) => [name, texts[at]]));
};

describe('whatever reaches the bounds of what a node takes, its own readers take', () => {
  test.prop([histories], { numRuns: 200 })('what GET shows of it', (history) => {
    for (const { state } of nodesOf(history)) {
      expect(reasonsOf(AlarmStatusView, overJson(alarmStatusView(state)))).toEqual([]);
      expect(reasonsOf(ThresholdView, overJson(revisedThreshold(state).threshold))).toEqual([]);
    }
  });

  test.prop([histories], { numRuns: 200 })('what it publishes', (history) => {
    for (const event of nodesOf(history).at(-1)?.outbox.waiting ?? [])
      expect(readEntry(fieldsOf(event))).toEqual(E.right(overJson({ ...event.data, type: event.type })));
  });

  test.prop([histories], { numRuns: 200 })('the threshold of an event, which is what GET answers', (history) => {
    for (const { state, outbox } of nodesOf(history)) {
      const last = outbox.waiting.findLast(({ type }) => type === 'SetPointAlarmThresholdEvent');
      if (last === undefined) continue;
      expect(last.data).toMatchObject({ revision: state.revision, threshold: revisedThreshold(state).threshold });
      expect(Object.keys(last.data['threshold'] as object)).toEqual(Object.keys(revisedThreshold(state).threshold));
      expect(reasonsOf(ThresholdInput, overJson(last.data['threshold']))).toEqual([]);
    }
  });

  test.prop([histories], { numRuns: 200 })('what it carries on', (history) => {
    for (const node of nodesOf(history)) {
      expect(decodeArgument(nodeId, overJson(continueAsNewArgument(node)))).toStrictEqual(E.right(node));
    }
  });

  test.prop([histories], { numRuns: 200 })(
    'what the read cache makes of its events, which is what it shows',
    (history) => {
      // A threshold that is published again has the revision that is cached: the node is asked again.
      const nodes = nodesOf(history.filter(([name]) => name !== 'republish'));
      const last = nodes.at(-1) ?? newNode(nodeId);
      const known = last.outbox.waiting.reduce<CachedNode | undefined>(
        (before, event) => {
          const read = readEntry(fieldsOf(event));
          return before !== undefined && E.isRight(read) ? applyEvent(before, read.right) : undefined;
        },
        cachedNodeOf(snapshotView(newNode(nodeId).state)),
      );
      expect(known).toMatchObject({
        threshold: revisedThreshold(last.state),
        alarmStatus: alarmStatusView(last.state),
      });
    },
  );
});

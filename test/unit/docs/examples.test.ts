import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as shown from '../../../api/routes/examples';
import { projectRoot } from '../../../dev/stack/project-root';
import { examples } from '../../../stream/asyncapi';
import { alarmStatusView, newNode, revisedThreshold, type Node } from '../../../workflows/domain/node/state';
import { thresholdView } from '../../../workflows/domain/threshold/threshold';
import { rateLimits } from '../../../workflows/domain/rating/overall-regions';
import { patchThreshold, recordMeasurement, setExternalAlarm, setThreshold } from '../../support/commands';
import { accepted, send, type Members, type Sent } from '../../support/scenario';

const textOf = (file: string): string => readFileSync(join(projectRoot, 'docs', file), 'utf8');
const exampleIn = (name: string): Members => JSON.parse(textOf(`examples/${name}`));

const { PointAlarmStatusEvent: statuses, SetPointAlarmThresholdEvent: thresholds } = examples;
const [overallEvent, spectrumEvent] = [statuses[0]!, statuses[1]!];
const thresholdEvent = thresholds[0]!;
const outerRace = exampleIn('outer-race-threshold.json');

/** The node after a command at the time and by the caller of `event`. */
const asIn = (
  node: Node,
  [name, payload]: Sent,
  { updatedAt, userId, requestId }: Record<'updatedAt', number> & Members,
): Node => accepted(send(node, [name, { ...payload, userId, cause: { requestId } }], updatedAt)).node;

/** The newest event of the type of `event` in `node`; of the id only the time can be known. */
const publishedLike = (node: Node, event: { readonly alarmStatus?: number; readonly sequenceId: string }): Members => {
  const type = event.alarmStatus === undefined ? 'SetPointAlarmThresholdEvent' : 'PointAlarmStatusEvent';
  const { data = {} } = node.outbox.waiting.filter((one) => one.type === type).at(-1) ?? {};
  const time = String(data['sequenceId']).slice(0, 10);
  return { ...data, sequenceId: event.sequenceId.replace(/^.{10}/u, time) };
};

test('the events of AsyncAPI are what a node publishes', () => {
  const {
    origin,
    threshold: { nodeId, ...threshold },
  } = thresholdEvent;
  const before = [1, 2].reduce(
    (node, at) => asIn(node, setThreshold({ fullScale: at }), { updatedAt: at, userId: 'x' }),
    newNode(nodeId),
  );
  const set = asIn(before, setThreshold({ ...threshold, origin }), thresholdEvent);
  expect(publishedLike(set, thresholdEvent)).toEqual(thresholdEvent);

  const dataPoint = { coordinate: { x: 0, y: 75 }, xUnit: 's', yUnit: 'C' };
  const measurementId = overallEvent.overallAlarm!.triggeringMeasurement;
  const createdAt = new Date(overallEvent.updatedAt).toISOString();
  const measurement = { measurementId, createdAt, contentType: 'DATA_POINT', dataPoint };
  expect(publishedLike(asIn(set, recordMeasurement(measurement), overallEvent), overallEvent)).toEqual(overallEvent);

  const other = asIn(newNode(spectrumEvent.aggregateId), setThreshold(outerRace), { updatedAt: 1, userId: 'x' });
  const measured = asIn(other, recordMeasurement(exampleIn('outer-race.json')), spectrumEvent);
  const published = publishedLike(measured, spectrumEvent);
  const [bpfo] = published['halAlarms'] as ReadonlyArray<unknown>;
  expect({ ...published, halAlarms: [bpfo] }).toEqual(spectrumEvent); // the first of four HALs
});

test('the work order of docs/consumer-python-go.md is that of the HAL in this event', () => {
  const [, key, order = ''] = /^Idempotency-Key: (\S+)\n\n(.+?)^```$/msu.exec(textOf('consumer-python-go.md')) ?? [];
  const { aggregateId, sequenceId, halAlarms: [part] = [] } = spectrumEvent;
  expect(JSON.parse(order)).toEqual({ order: `${aggregateId}/halAlarms/0/${part?.label}`, status: part?.status, part });
  expect(key).toBe(`${sequenceId}/halAlarms/0/${part?.status}`);
});

test('the answers of OpenAPI are those to its bodies', () => {
  const { nodeId } = shown.thresholdShown;
  const after = (...commands: ReadonlyArray<Sent>): Node =>
    commands.reduce(
      (node, command) => asIn(node, command, { ...shown.alarmStatusShown, userId: 'x' }),
      newNode(nodeId),
    );
  const thresholdAfter = (...commands: ReadonlyArray<Sent>) =>
    thresholdView(nodeId, revisedThreshold(after(...commands).state).threshold);
  const [overall, inspection] = [
    setThreshold(shown.thresholdExamples.overall),
    setThreshold(shown.thresholdExamples.inspection),
  ];
  expect(thresholdAfter(overall)).toEqual(shown.thresholdShown);
  expect(thresholdAfter(overall, patchThreshold(shown.patchExample))).toEqual(shown.thresholdPatched);
  const { thresholds } = shown.thresholdsShown('overallAlarmThreshold');
  expect(thresholds.map((one) => one.nodeId)).toEqual(shown.batchExample.nodeIDs);
  expect(thresholds).toMatchObject([shown.thresholdShown, shown.thresholdExamples.bandAlarms]);

  const { questionAnswers } = shown.measurementExamples;
  const commands = [recordMeasurement(questionAnswers), setExternalAlarm(shown.externalAlarmExamples.setBySomebody)];
  expect(alarmStatusView(after(inspection, ...commands).state)).toEqual(shown.alarmStatusShown);
});

test('the thresholds of OpenAPI are those that the guides advise', () => {
  const { overall, halAlarms } = shown.thresholdExamples;
  expect(rateLimits(overall.overall, 2, 'literal', 0), 'a machine that stands still').toBe(2);
  expect(outerRace['halAlarms']).toEqual(expect.arrayContaining(halAlarms.halAlarms));
});

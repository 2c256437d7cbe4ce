import * as E from 'fp-ts/Either';
import { expect, test } from 'vitest';
import { asyncApiDocument, examples } from '../../../stream/asyncapi';
import { eventCodecsNaming } from '../../../workflows/domain/node/events';
import { decode } from '../../../workflows/domain/codecs';

test('the examples are events of their types', () => {
  const eventCodecs = eventCodecsNaming('overallAlarmThreshold');
  const { PointAlarmStatusEvent: statuses, SetPointAlarmThresholdEvent: thresholds } = examples;
  for (const one of statuses) expect(decode(eventCodecs.PointAlarmStatusEvent, one)).toEqual(E.right(one));
  for (const one of thresholds) expect(decode(eventCodecs.SetPointAlarmThresholdEvent, one)).toEqual(E.right(one));
});

test('the document names the stream, the attributes and limits of bands as they are set, and forbids no further members', () => {
  const names = { stream: 'our-alarms', attributePrefix: 'Our', bandThresholdName: 'overallThreshold' } as const;
  const text = JSON.stringify(asyncApiDocument(names));
  expect(text).toContain('"overallThreshold":{');
  expect(text).not.toContain('overallAlarmThreshold');
  expect(text).toContain('"address":"our-alarms"');
  expect(text).toContain('"Our.EventType":{');
  expect(text).toContain('"required":["aggregateId","sequenceId","timestamp","type","data","userId"]');
  expect(text).not.toContain('Vendor');
  expect(text).not.toContain('additionalProperties');
});

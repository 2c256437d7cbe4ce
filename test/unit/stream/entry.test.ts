import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import type { OutboxEvent } from '../../../workflows/domain/node/outbox';
import { fieldNames, fieldTexts, readEntry, type EntryFields } from '../../../stream/entry';
import { recordMeasurement, setThreshold } from '../../support/commands';
import { dataPoint, overall } from '../../support/measurements';
import { anId, nodeAfter, nodeId } from '../../support/scenario';

const names = { attributePrefix: 'Vendor.Hierarchy', bandThresholdName: 'overallAlarmThreshold' } as const;
const fieldsOf = (event: OutboxEvent): EntryFields => {
  const texts = fieldTexts(nodeId, event, names);
  return Object.fromEntries(fieldNames(names.attributePrefix).map((name, at) => [name, texts[at]]));
};
const [, , statusEvent] = nodeAfter([setThreshold(overall), recordMeasurement(dataPoint(15))]).outbox.waiting;
const statusFields = fieldsOf(statusEvent!);

// That what a node publishes is read as it is, is a law of `shown.prop.test.ts`.
describe('an entry of the stream', () => {
  test('may hold members of a later release, at any level: they are passed over', () => {
    const data = JSON.parse(statusFields['data']!);
    data.shift = 'night';
    data.overallAlarm.confidence = 0.9;
    data.bandAlarms = [{ status: 2, tone: { hz: 3 } }];
    expect(readEntry({ ...statusFields, data: JSON.stringify(data) })).toEqual(
      E.right({
        ...(statusEvent!.data as object),
        type: 'PointAlarmStatusEvent',
        overallAlarm: { status: 4, triggeringMeasurement: anId(1) },
        bandAlarms: [{ status: 2 }],
      }),
    );
  });

  test.each<[name: string, change: Record<string, string | undefined>, fault: string]>([
    ['of an unknown type', { type: 'Other' }, 'type "Other" is not known'],
    ['without a type', { type: undefined }, 'type undefined is not known'],
    ['without data', { data: undefined }, 'data is not JSON'],
    ['whose data is a list', { data: '[]' }, 'data  must be an object'],
    [
      'whose status is an object',
      { data: statusFields['data']!.replace('"alarmStatus":4', '"alarmStatus":{}') },
      'data alarmStatus must be one of 0, 1, 2, 3, 4',
    ],
    ['of another node than its data says', { aggregateId: anId(9) }, 'its fields contradict its data'],
    ['of another place than its data says', { sequenceId: '0' }, 'its fields contradict its data'],
  ])('%s is refused with the reason', (_name, change, fault) => {
    expect(readEntry({ ...statusFields, ...change })).toEqual(E.left(fault));
  });

  test('of a threshold may name the limits of bands either way: they are read as overallAlarmThreshold', () => {
    const limits = { unit: 'g', upperAlert: { value: 1, valueType: 1 } };
    const [event] = nodeAfter([setThreshold({ bandAlarms: [{ overallThreshold: limits }, {}] })]).outbox.waiting;
    const fields = fieldsOf(event!);
    const renamed = { ...fields, data: fields['data']!.replace('overallAlarmThreshold', 'overallThreshold') };
    expect(renamed['data']).not.toBe(fields['data']);
    const read = readEntry(renamed);
    expect(read).toEqual(readEntry(fields));
    expect(read).toMatchObject(
      E.right({ revision: 1, threshold: { nodeId, bandAlarms: [{ overallAlarmThreshold: limits }, {}] } }),
    );
  });
});

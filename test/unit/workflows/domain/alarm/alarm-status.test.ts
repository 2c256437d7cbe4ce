import { describe, expect, test } from 'vitest';
import { partsView } from '../../../../../workflows/domain/alarm/alarm-status';
import { alarmStatusView } from '../../../../../workflows/domain/node/state';
import {
  patchThreshold,
  recalculate,
  recordMeasurement,
  setExternalAlarm,
  setThreshold,
} from '../../../../support/commands';
import { answers, dataPoint, inspection, overall, spectrum } from '../../../../support/measurements';
import { accepted, anId, nodeAfter, nodeId, send, START, type Sent } from '../../../../support/scenario';

const partsAfter = (given: ReadonlyArray<Sent>): unknown => {
  const { nodeId: _, updatedAt: __, status: ___, ...parts } = alarmStatusView(nodeAfter(given).state);
  return parts;
};
const by = (n: number, status: number) => ({ status, triggeringMeasurement: anId(n) });
const change = { rateOfChange: { outerHigh: 2, innerHigh: 1, innerLow: -1, outerLow: -2 } };
const changed = (rateOfChange: number, about = {}) => recordMeasurement(answers([], { rateOfChange, ...about }));
const at = (time: string) => ({ createdAt: `2026-01-31T${time}` });

describe('the alarm status that GET shows', () => {
  test('of a node that was never touched is 0, at 0', () => {
    expect(alarmStatusView(nodeAfter([]).state)).toEqual({ nodeId, updatedAt: 0, status: 0 });
  });

  test('of a threshold without a measurement is NO_DATA, without a measurement', () => {
    const every = {
      ...overall,
      ...change,
      inspection: inspection.inspection,
      bandAlarms: [{ label: 'a' }],
      halAlarms: [{ label: 'b' }],
    };
    expect(alarmStatusView(nodeAfter([setThreshold(every)]).state)).toEqual({
      nodeId,
      updatedAt: START,
      status: 1,
      overallAlarm: { status: 1 },
      rateOfChangeAlarm: { status: 1 },
      inspectionAlarm: { status: 1 },
      bandAlarms: [{ status: 1, label: 'a' }],
      halAlarms: [{ status: 1, label: 'b' }],
    });
  });

  test('of bands and HALs has what the threshold says of them, but not their limits', () => {
    const edges = { minFrequency: { value: 1, valueType: 2 }, maxFrequency: { value: 9, valueType: 1 } };
    const bandAlarms = [{ label: '1x', ...edges, overallThreshold: { upperAlert: { value: 1, valueType: 1 } } }, {}];
    const halAlarms = [
      { label: 'BPFO', halAlarmType: 'FREQUENCY', bearing: { manufacturer: 'a', modelNumber: 'b' }, upperAlert: 3 },
    ];
    expect(partsAfter([setThreshold({ bandAlarms, halAlarms })])).toEqual({
      bandAlarms: [{ status: 1, label: '1x', ...edges }, { status: 1 }],
      halAlarms: [{ status: 1, label: 'BPFO' }],
    });
  });

  test('of bands and HALs has those for which the node holds a part', () => {
    const threshold = {
      bandAlarms: [{ label: '1x' }, { label: '2x' }],
      halAlarms: [{ label: 'BPFO' }, { label: 'BPFI' }],
    };
    expect(partsView(threshold, { bands: [{ status: 2 }], hals: [{ status: 3 }] })).toEqual({
      bandAlarms: [{ status: 2, label: '1x' }],
      halAlarms: [{ status: 3, label: 'BPFO' }],
    });
  });

  test('of no bands and no HALs holds no part', () => {
    expect(partsAfter([setThreshold({ bandAlarms: [], halAlarms: [] })])).toEqual({});
  });
});

const reading = { reading: 'alert-band' };
const otherLimit = [{ op: 'replace', path: '/overall/outerHigh', value: 21 }];
const inches = dataPoint(0, { dataPoint: { coordinate: { x: 0, y: 0 }, xUnit: 'h', yUnit: 'in/s' } });
const point = (y: number) => recordMeasurement(dataPoint(y));

describe('overall', () => {
  test.each<[name: string, given: ReadonlyArray<Sent>, then: number]>([
    ['is rated by the y of a data point', [setThreshold(overall), point(10)], 3],
    ['is rated by the table of its type', [setThreshold({ ...overall, thresholdType: 1 }), point(30)], 2],
    ['is rated in another unit all the same', [setThreshold(overall), recordMeasurement(inches)], 2],
    ['reads literally where no reading was in force', [setThreshold(overall), point(15)], 4],
    ['keeps the reading that a PUT stamped', [setThreshold(overall, reading), point(15)], 3],
    ['takes that of a PATCH', [setThreshold(overall), point(15), patchThreshold(otherLimit, reading)], 3],
    ['keeps it through a PATCH', [setThreshold(overall, reading), point(15), patchThreshold(otherLimit)], 3],
  ])('%s', (_name, given, then) => expect(partsAfter(given)).toEqual({ overallAlarm: by(1, then) }));

  test('is not rated by answers, and not held without its threshold', () => {
    const answered = [setThreshold(overall), recordMeasurement(answers(['fine']))];
    expect(partsAfter(answered)).toEqual({ overallAlarm: { status: 1 } });
    expect(partsAfter([point(10), changed(3)])).toEqual({});
  });
});

describe('rate of change', () => {
  test.each<[name: string, given: ReadonlyArray<Sent>, then: number]>([
    ['is rated by what any measurement carries', [setThreshold(change), changed(0)], 2],
    ['reads the table of type 2: at a limit', [setThreshold(change), changed(-1)], 3],
    ['reads the table of type 2: beyond the limits', [setThreshold(change), changed(3)], 4],
    ['reads the regions between as they are read', [setThreshold(change, reading), changed(1.5)], 3],
    ['stays where a measurement carries none', [setThreshold(change), changed(3), point(0)], 4],
  ])('%s', (_name, given, then) => expect(partsAfter(given)).toEqual({ rateOfChangeAlarm: by(2, then) }));

  test('reads the table of type 2 beside an overall of type 1', () => {
    const given = setThreshold({ ...overall, ...change, thresholdType: 1 });
    expect(partsAfter([given, recordMeasurement(dataPoint(0, { rateOfChange: 0 }))])).toEqual({
      overallAlarm: by(1, 4),
      rateOfChangeAlarm: by(1, 2),
    });
  });
});

describe('inspection', () => {
  test.each<[name: string, given: ReadonlyArray<string>, then: number]>([
    ['has the status of the choice', ['worn'], 3],
    ['has the worst status of the choices', ['fine', 'broken', 'worn'], 4],
    ['passes over answers that are no choice', ['fine', 'unheard of'], 2],
    ['knows an answer by its very text', ['Fine', 'fine '], 1],
    ['is NO_DATA where no answer is a choice', ['unheard of'], 1],
    ['is NO_DATA where nothing was answered', [], 1],
  ])('%s', (_name, given, then) => {
    expect(partsAfter([setThreshold(inspection), recordMeasurement(answers(given))])).toEqual({
      inspectionAlarm: by(2, then),
    });
  });

  test('is NO_DATA without any choice', () => {
    expect(partsAfter([setThreshold({ inspection: { choices: [] } }), recordMeasurement(answers(['fine']))])).toEqual({
      inspectionAlarm: by(2, 1),
    });
  });
});

describe('an external alarm', () => {
  const setBy = anId(7);
  test.each<[name: string, given: ReadonlyArray<object>, then: object]>([
    ['is as it was set', [{ status: 4, setBy }], { status: 4, setBy }],
    ['drops who set it when that is not given', [{ status: 4, setBy }, { status: 3 }], { status: 3 }],
    ['drops who set it when that is null', [{ status: 4, setBy: null }], { status: 4 }],
  ])('%s', (_name, given, then) => {
    expect(partsAfter(given.map((alarm) => setExternalAlarm({ ...alarm })))).toEqual({ externalAlarm: then });
  });

  test('leaves the other parts as they are', () => {
    const given = [setThreshold(overall), point(0), setExternalAlarm({ status: 0 })];
    expect(partsAfter(given)).toEqual({ overallAlarm: by(1, 2), externalAlarm: { status: 0 } });
  });
});

describe('a measurement', () => {
  const both = { ...overall, inspection: inspection.inspection };
  test('rates the parts of its content type; the others stay', () => {
    const given = [setThreshold(both), recordMeasurement(dataPoint(30)), recordMeasurement(answers(['fine']))];
    expect(partsAfter(given)).toEqual({ overallAlarm: by(1, 4), inspectionAlarm: by(2, 2) });
  });

  test('rates as it is, though a newer one is known', () => {
    const newer = recordMeasurement(dataPoint(30, at('09:00:00Z')));
    const older = recordMeasurement(dataPoint(0, { measurementId: anId(9), ...at('08:00:00Z') }));
    expect(partsAfter([setThreshold(overall), newer, older])).toEqual({ overallAlarm: by(9, 2) });
  });

  test('of a spectrum rates bands and HALs, and names itself in each', () => {
    const given = [
      setThreshold({ bandAlarms: [{}, {}], halAlarms: [{ label: 'BPFO' }] }),
      recordMeasurement(spectrum([])),
    ];
    expect(partsAfter(given)).toMatchObject({
      bandAlarms: [{ triggeringMeasurement: anId(3) }, { triggeringMeasurement: anId(3) }],
      halAlarms: [{ triggeringMeasurement: anId(3), label: 'BPFO' }],
    });
  });
});

// What is newest is a law of `node.prop.test.ts`. The commands of a scenario come a second apart, the first at 10:00:00.
test('a node whose clock was set back takes what is newer', () => {
  const of = (id: number, time: string): Sent =>
    recordMeasurement(dataPoint(0, { measurementId: anId(id), ...at(time) }));
  const node = nodeAfter([setThreshold(overall), of(1, '10:00:01Z')]);
  const setBack = accepted(send(node, of(2, '10:00:01.5Z'), START)).node;
  const { parts } = accepted(send(setBack, recalculate(), START)).node.state;
  expect(parts.overall).toEqual(by(2, 2));
});

import { describe, expect, test } from 'vitest';
import type { PartsView } from '../../../../../workflows/domain/alarm/alarm-status';
import { alarmParts, limitLines, partsLine } from '../../../../../workflows/domain/alarm/alarm-lines';
import { anId } from '../../../../support/scenario';

const rated = { triggeringMeasurement: anId(1) };
const parts: PartsView = {
  overallAlarm: { status: 4, ...rated },
  externalAlarm: { status: 3, setBy: anId(2) },
  bandAlarms: [{ status: 2, ...rated, label: 'low', calculatedOverall: { value: 0, unit: 'mm/s' } }, { status: 3 }],
  halAlarms: [
    { status: 2, label: 'BPFO', halIndex: 1.5 },
    { status: 1, label: 'BSF', errorDescription: 'no speed' },
  ],
};

describe('the parts that a node holds', () => {
  test('are named, each with what it holds and nothing else', () => {
    expect(alarmParts(parts)).toStrictEqual([
      { part: 'overall', status: 4, measurement: anId(1) },
      { part: 'external', status: 3 },
      { part: 'band 0', status: 2, label: 'low', measurement: anId(1), value: 0, unit: 'mm/s' },
      { part: 'band 1', status: 3 },
      { part: 'HAL 0', status: 2, label: 'BPFO', value: 1.5 },
      { part: 'HAL 1', status: 1, label: 'BSF', why: 'no speed' },
    ]);
  });

  test.each<[name: string, given: PartsView, line: string]>([
    ['all kinds', parts, 'overall DANGER, external ALERT, bands 1 ALERT 1 GOOD, HALs 1 GOOD 1 NO_DATA'],
    ['a single band', { bandAlarms: [{ status: 4 }] }, 'bands 1 DANGER'],
    ['none', {}, ''],
  ])('are a line: %s', (_name, given, line) => expect(partsLine(given)).toBe(line));
});

test('the limits of a threshold are a line for each part that has some', () => {
  const threshold = {
    nodeId: anId(1),
    overall: { unit: 'C', outerHigh: 70, innerLow: 0 },
    rateOfChange: { unit: 'C/min' },
    bandAlarms: [
      { overallAlarmThreshold: { upperAlert: { value: 2, valueType: 1 }, upperDanger: { value: 5, valueType: 2 } } },
      {},
    ],
    halAlarms: [{ label: 'BPFO', upperDanger: 3 }, { label: 'BSF' }],
  } as const;
  expect(limitLines(threshold)).toEqual({
    overall: 'innerLow 0, outerHigh 70 C',
    'band 0': 'alert 2, danger 5 of full scale',
    'HAL 0': 'danger 3',
  });
});

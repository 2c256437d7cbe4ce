import { describe, expect, test } from 'vitest';
import { continueAsNewArgument, decodeArgument, type Node } from '../../../../../workflows/domain/node/state';
import { patchThreshold, recalculate, recordMeasurement, setThreshold } from '../../../../support/commands';
import { spectrum } from '../../../../support/measurements';
import { accepted, anId, nodeAfter, nodeId, send, START, type Sent } from '../../../../support/scenario';
import { rightOf } from '../../../../support/either';

const limit = (value: number, valueType = 1) => ({ value, valueType });
const edges = { minFrequency: limit(10), maxFrequency: limit(90) };
const hal = { label: 'BPFO', bearing: { manufacturer: 'Own', modelNumber: '1' }, upperAlert: 5 };
const bearing = { manufacturer: 'Own', modelNumber: '1', orders: { ftf: 0.4, bsf: 2.3, bpfo: 3.6, bpfi: 5.4 } };
const limits = { unit: 'g', upperAlert: limit(2, 3), upperDanger: limit(9) };
const band = { ...edges, label: 'low', overallThreshold: limits };
const threshold = { thresholdType: 2, overall: { innerHigh: 2, outerHigh: 8 }, bandAlarms: [band], halAlarms: [hal] };
const bearings = [bearing];
const lines = [10, 20, 30, 40, 50].map((x) => ({ x, y: x / 10 }));
const older = { measurementId: anId(8), createdAt: '2026-01-30T09:00:00.000Z' };
const record = (about = {}): Sent => recordMeasurement(spectrum(lines, about));
const rated: ReadonlyArray<Sent> = [setThreshold(threshold, { bearings }), record()];

/** What of the newest spectrum `sent` rates: parts that are not rated are the objects that they were. */
const rates = (node: Node, sent: Sent): ReadonlyArray<'bands' | 'hals'> => {
  const { state } = accepted(send(node, sent, START + 60_000)).node;
  return (['bands', 'hals'] as const).filter((part) => state.parts[part] !== node.state.parts[part]);
};

const renamed = { ...band, label: 'high', overallThreshold: { ...limits, unit: 'm' } };
const outerHigh = [{ op: 'replace', path: '/overall/outerHigh', value: 9 }];
const bands = { bandAlarms: [band, band], overall: threshold.overall, thresholdType: 1 };
test.each<[name: string, given: ReadonlyArray<Sent>, when: Sent]>([
  ['by a recalculation', rated, recalculate()],
  ['by a threshold that is as it was', rated, setThreshold(threshold, { bearings })],
  ['by other limits of the overall alarm', rated, patchThreshold(outerHigh)],
  ['by names and units', rated, setThreshold({ ...threshold, bandAlarms: [renamed] }, { bearings })],
  ['by a recalculation after one that rated it', [...rated, record(older), recalculate()], recalculate()],
  ['where a new threshold rated it', [...rated, setThreshold(bands)], recalculate()],
])('the newest spectrum is not rated again %s', (_name, given, when) =>
  expect(rates(nodeAfter(given), when)).toEqual([]),
);

describe('it is rated again', () => {
  const other = (changed: object, about = {}): Sent =>
    setThreshold({ ...threshold, ...changed }, { bearings, ...about });
  const orders = { ...bearing.orders, bpfo: 3.5 };
  const { createdAt } = older;
  const both = ['bands', 'hals'] as const;
  const justBands = ['bands'] as const;
  const justHals = ['hals'] as const;
  test.each<[name: string, given: ReadonlyArray<Sent>, when: Sent, what: ReadonlyArray<'bands' | 'hals'>]>([
    ['by a recalculation after an older one', [...rated, record(older)], recalculate(), both],
    ['by a threshold after an older one', [...rated, record(older)], other({}), both],
    ['by a recalculation after an older one of the same id', [...rated, record({ createdAt })], recalculate(), both],
    ['by other edges', rated, other({ bandAlarms: [{ ...band, maxFrequency: limit(80) }] }), justBands],
    [
      'by another limit',
      rated,
      other({ bandAlarms: [{ ...band, overallThreshold: { upperAlert: limit(2) } }] }),
      justBands,
    ],
    ['by another base of a limit', rated, other({ overall: { innerHigh: 1, outerHigh: 8 } }), justBands],
    ['by fewer bands', rated, other({ bandAlarms: [] }), justBands],
    ['by no bands', rated, other({ bandAlarms: undefined }), justBands],
    ['by another HAL', rated, other({ halAlarms: [{ ...hal, label: 'BPFI' }] }), justHals],
    ['by other orders of its bearing', rated, other({}, { bearings: [{ ...bearing, orders }] }), justHals],
    ['by other bands and HALs', rated, other({ bandAlarms: [], halAlarms: [] }), both],
  ])('%s', (_name, given, when, what) => expect(rates(nodeAfter(given), when)).toEqual(what));

  test('once in each run, whose release may rate otherwise', () => {
    const argument: unknown = JSON.parse(JSON.stringify(continueAsNewArgument(nodeAfter(rated))));
    const begun = rightOf(decodeArgument(nodeId, argument));
    expect(rates(begun, recalculate())).toEqual(both);
    expect(rates(nodeAfter([recalculate()], begun), recalculate())).toEqual([]);
  });
});

test('a threshold keeps the bearings that it names, and no others', () => {
  const other = { ...bearing, modelNumber: '2' };
  const { state } = nodeAfter([setThreshold(threshold, { bearings: [other, bearing] })]);
  expect(state.bearings).toEqual([bearing]);
  expect(nodeAfter([setThreshold(threshold, { bearings: [bearing] }), setThreshold({})]).state.bearings).toEqual([]);
});

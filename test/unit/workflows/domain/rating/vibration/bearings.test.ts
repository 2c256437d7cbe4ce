import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { decode } from '../../../../../../workflows/domain/codecs';
import {
  findBearing,
  indexBearings,
} from '../../../../../../workflows/domain/rating/vibration/bearings/bearing-lookup';
import { bearingsFile, orderFaults } from '../../../../../../workflows/domain/rating/vibration/bearings/bearings-file';
import {
  ordersOf,
  type Geometry,
  ResolvedBearing,
} from '../../../../../../workflows/domain/rating/vibration/bearings/bearing';
import {
  knownBearingRows,
  knownBearings,
} from '../../../../../../workflows/domain/rating/vibration/bearings/known-bearings';
import {
  bearingNamesOf,
  seekBearings,
} from '../../../../../../workflows/domain/rating/vibration/bearings/seek-bearings';

interface Published {
  readonly name: string;
  readonly geometry: Geometry;
  /** The shaft speed in Hz at which the values are published; 1 for orders. */
  readonly shaftHz: number;
  readonly bpfo: number;
  readonly bpfi: number;
  readonly ftf?: number;
  /** The published value for a rolling element, and by how much it is the spin: many print twice. */
  readonly element?: readonly [number, 1 | 2];
}

/** As their sources print them; docs/bearings.md names the sources. */
const published: ReadonlyArray<Published> = [
  {
    name: 'SKF 6205-2RS JEM, Case Western Reserve University',
    geometry: { elements: 9, elementDiameter: 0.3126, pitchDiameter: 1.537 },
    shaftHz: 1,
    bpfo: 3.5848,
    bpfi: 5.4152,
    ftf: 0.39828,
    element: [4.7135, 2],
  },
  {
    name: 'SKF 6203-2RS JEM, Case Western Reserve University',
    geometry: { elements: 8, elementDiameter: 0.2656, pitchDiameter: 1.122 },
    shaftHz: 1,
    bpfo: 3.053,
    bpfi: 4.9469,
    ftf: 0.3817,
    element: [3.9874, 2],
  },
  {
    name: 'MB ER-16K, Curtin University',
    geometry: { elements: 9, elementDiameter: 7.9375, pitchDiameter: 38.5 },
    shaftHz: 1,
    bpfo: 3.572,
    bpfi: 5.428,
    ftf: 0.3969,
    element: [2.32, 1],
  },
  {
    name: 'LDK UER204, XJTU-SY, at 35 Hz',
    geometry: { elements: 8, elementDiameter: 7.92, pitchDiameter: 34.55 },
    shaftHz: 35,
    bpfo: 107.91,
    bpfi: 172.09,
    ftf: 13.49,
    element: [72.33, 1],
  },
  {
    name: 'Rexnord ZA-2115, IMS, at 2,000 rpm',
    geometry: { elements: 16, elementDiameter: 0.331, pitchDiameter: 2.815, contactAngle: 15.17 },
    shaftHz: 2000 / 60,
    bpfo: 236.4,
    bpfi: 296.9,
    ftf: 14.78,
    element: [139.9, 1],
  },
  {
    name: 'NICE, MFPT, at 25 Hz',
    geometry: { elements: 8, elementDiameter: 0.235, pitchDiameter: 1.245 },
    shaftHz: 25,
    bpfo: 81.125,
    bpfi: 118.875,
  },
  {
    name: 'the sample of bearingFaultBands, The MathWorks, at 25 Hz',
    geometry: { elements: 8, elementDiameter: 2, pitchDiameter: 12, contactAngle: 15 },
    shaftHz: 25,
    bpfo: 83.901,
    bpfi: 116.099,
    ftf: 10.488,
    element: [73.056, 1],
  },
];

const within = (share: number, actual: number, expected: number): boolean =>
  Math.abs(actual - expected) <= share * Math.abs(expected);

describe('defect orders', () => {
  test.each(published)('of $name agree with the published values within 0.1 %', (row) => {
    const { bpfo, bpfi, ftf, bsf } = ordersOf(row.geometry);
    expect(within(0.001, bpfo * row.shaftHz, row.bpfo)).toBe(true);
    expect(within(0.001, bpfi * row.shaftHz, row.bpfi)).toBe(true);
    if (row.ftf !== undefined) expect(within(0.001, ftf * row.shaftHz, row.ftf)).toBe(true);
    if (row.element !== undefined) expect(within(0.001, bsf * row.element[1] * row.shaftHz, row.element[0])).toBe(true);
  });

  test('add up to the number of elements, whatever the geometry', () => {
    const { bpfo, bpfi, ftf } = ordersOf({ elements: 13, elementDiameter: 3, pitchDiameter: 40, contactAngle: 25 });
    expect(bpfo + bpfi).toBeCloseTo(13, 12);
    expect(13 * ftf).toBeCloseTo(bpfo, 12);
  });
});

describe('the built-in table', () => {
  test.each(knownBearingRows)('$manufacturer $modelNumber is consistent and names its source', (row) => {
    expect(orderFaults(row.orders, row.elements)).toEqual([]);
    expect(row.source.length).toBeGreaterThan(20);
    expect(findBearing(knownBearings, row.manufacturer, row.modelNumber)).toBe(row.orders);
  });

  test('has no two rows of one name', () => {
    expect(Object.keys(knownBearings)).toHaveLength(knownBearingRows.length);
  });
});

describe('a designation', () => {
  const skf6205 = findBearing(knownBearings, 'SKF', '6205');
  test.each([
    ['SKF', '6205-2RS'],
    ['SKF', '6205-2RS JEM'],
    ['SKF', '6205 2RS JEM'],
    ['skf', ' 6205 '],
    ['S K F', '6205/C3'],
    ['SKF', '6205-2RS1/C3'],
    ['SKF', '6205ZZ'],
    ['SKF', '6205ZZC3'],
    ['SKF', '6205 TN9'],
  ])('%s %s is an SKF 6205', (manufacturer, modelNumber) => {
    expect(skf6205).toBeDefined();
    expect(findBearing(knownBearings, manufacturer, modelNumber)).toBe(skf6205);
  });

  test.each([
    ['SKF', '62052RS'],
    ['SKF', '6205 E'],
    ['SKF', '6205/W33'],
    ['SKF', '6205 7'],
    ['SKF', '6205A'],
    ['SKF', 'W6205'],
    ['SKF', '620'],
    ['SKF', '2RS'],
    ['SKF', ''],
    ['SKF', 'ZZ'],
    ['NTN', '6205'],
    ['', '6205'],
    ['SKF', '__proto__'],
    ['SKF', '6205-2RS-2RS-2RS-2RS-2RS-2RS-2RS'],
    ['SKF', `6205${'RS'.repeat(20)}`],
  ])('%s %s is no bearing of the table', (manufacturer, modelNumber) => {
    expect(findBearing(knownBearings, manufacturer, modelNumber)).toBeUndefined();
  });

  test('matches through hyphens and blanks of its own', () => {
    const er16k = findBearing(knownBearings, 'MB', 'ER-16K');
    expect(er16k).toBeDefined();
    expect(findBearing(knownBearings, 'mb', 'ER 16 K')).toBe(er16k);
    expect(findBearing(knownBearings, 'MB', 'er16k')).toBe(er16k);
  });

  test('just as it is goes before one that it is a variant of', () => {
    const plain = ordersOf({ elements: 9, elementDiameter: 8, pitchDiameter: 39 });
    const sealed = ordersOf({ elements: 8, elementDiameter: 8, pitchDiameter: 39 });
    const index = indexBearings([
      { manufacturer: 'ACME', modelNumber: '6205', orders: plain },
      { manufacturer: 'ACME', modelNumber: '6205-2RS', orders: sealed },
    ]);
    expect(findBearing(index, 'ACME', '6205-2RS')).toEqual(sealed);
    expect(findBearing(index, 'ACME', '6205-2RS C3')).toEqual(sealed);
    expect(findBearing(index, 'ACME', '6205-2Z')).toEqual(plain);
  });
});

describe('resolving a threshold', () => {
  const own = indexBearings([
    {
      manufacturer: 'SKF',
      modelNumber: '6205',
      orders: ordersOf({ elements: 9, elementDiameter: 8, pitchDiameter: 39 }),
    },
  ]);
  const hal = (manufacturer: string, modelNumber: string) => ({
    label: 'BPFO',
    bearing: { manufacturer, modelNumber },
  });

  test("finds each bearing once, in the spelling of the threshold, the operator's own first", () => {
    const halAlarms = [
      hal('skf', '6205-2RS'),
      hal('skf', '6205-2RS'),
      hal('SKF', '6203'),
      hal('SKF', 'x'),
      { label: '1x' },
    ];
    expect(seekBearings(bearingNamesOf({ halAlarms }), own)).toEqual([
      { manufacturer: 'skf', modelNumber: '6205-2RS', orders: own['SKF 6205'] },
      { manufacturer: 'SKF', modelNumber: '6203', orders: knownBearings['SKF 6203'] },
      { manufacturer: 'SKF', modelNumber: 'x' },
    ]);
  });

  test('without HALs finds none', () => {
    expect(bearingNamesOf({})).toEqual([]);
  });
});

describe('a bearings file', () => {
  const names = { manufacturer: 'ACME', modelNumber: 'A1' };
  const geometry = { elements: 9, elementDiameter: 0.3126, pitchDiameter: 1.537 };
  const orders = { elements: 9, ftf: 0.398, bsf: 2.357, bpfo: 3.585, bpfi: 5.415 };

  test('holds bearings by geometry or by published orders', () => {
    const read = decode(bearingsFile, {
      bearings: [
        { ...names, source: 'our own drawing', geometry },
        { ...names, modelNumber: 'A2', orders },
      ],
    });
    expect(read).toEqual(
      E.right([
        { ...names, orders: ordersOf(geometry) },
        { ...names, modelNumber: 'A2', orders: { ftf: 0.398, bsf: 2.357, bpfo: 3.585, bpfi: 5.415 } },
      ]),
    );
  });

  const either = 'must have either geometry or orders';
  test.each([
    ['neither', { ...names }, [['bearings.0', either]]],
    ['both', { ...names, geometry, orders }, [['bearings.0', either]]],
    [
      'elements that are no whole number',
      { ...names, geometry: { ...geometry, elements: 8.5 } },
      [['bearings.0.geometry.elements', 'must be a whole number from 2 to 1000']],
    ],
    [
      'elements beyond the pitch diameter',
      { ...names, geometry: { ...geometry, elementDiameter: 2 } },
      [['bearings.0.geometry.elementDiameter', 'must be below pitchDiameter (1.537), by a factor of at most 1000']],
    ],
    [
      'elements too small to be any',
      { ...names, geometry: { ...geometry, elementDiameter: 1e-9 } },
      [['bearings.0.geometry.elementDiameter', 'must be below pitchDiameter (1.537), by a factor of at most 1000']],
    ],
    [
      'a contact angle of 90 degrees',
      { ...names, geometry: { ...geometry, contactAngle: 90 } },
      [['bearings.0.geometry.contactAngle', 'must be from 0 to below 90 degrees']],
    ],
    [
      'a negative contact angle',
      { ...names, geometry: { ...geometry, contactAngle: -1 } },
      [['bearings.0.geometry.contactAngle', 'must be from 0 to below 90 degrees']],
    ],
    [
      'twice the spin',
      { ...names, orders: { ...orders, bsf: 4.7135 } },
      [['bearings.0.orders.bsf', 'must be at most 2.357: is it twice the spin frequency?']],
    ],
    [
      'orders that do not add up',
      { ...names, orders: { ...orders, bpfi: 5.2 } },
      [['bearings.0.orders.bpfi', 'must make 9 (elements) together with bpfo, and makes 8.785']],
    ],
    [
      'a cage that does not fit (as row 305K of the Timken table)',
      { ...names, orders: { ...orders, ftf: 0.367 } },
      [['bearings.0.orders.ftf', 'must be bpfo divided by elements, which is 0.3983']],
    ],
    [
      'inner and outer mixed up',
      { ...names, orders: { ...orders, bpfo: 5.415, bpfi: 3.585, ftf: 0.6017 } },
      [['bearings.0.orders.bpfo', 'must be below bpfi (3.585)']],
    ],
    [
      'no name',
      { ...names, manufacturer: '', geometry },
      [['bearings.0.manufacturer', 'must be text of 1 to 1024 characters']],
    ],
    [
      'a mistyped property',
      { ...names, geometri: geometry, geometry },
      [['bearings.0.geometri', 'is not a known property']],
    ],
  ])('with %s is refused', (_name, bearing, reasons) => {
    expect(decode(bearingsFile, { bearings: [bearing] })).toEqual(
      E.left(reasons.map(([name, reason]) => ({ name, reason }))),
    );
  });

  test('that names a bearing twice is refused', () => {
    const bearings = [
      { ...names, geometry },
      { ...names, manufacturer: 'acme', modelNumber: 'a-1', geometry },
    ];
    expect(decode(bearingsFile, { bearings })).toEqual(
      E.left([{ name: 'bearings.1.modelNumber', reason: 'is named twice for this manufacturer' }]),
    );
  });
});

describe('a resolved bearing', () => {
  const orders = { ftf: 0.4, bsf: 2.4, bpfo: 3.6, bpfi: 5.4 };

  test('is read back as it was kept', () => {
    const bearing = { manufacturer: 'SKF', modelNumber: '6205', orders };
    expect(decode(ResolvedBearing, JSON.parse(JSON.stringify(bearing)))).toEqual(E.right(bearing));
  });

  test('has orders above 0', () => {
    expect(
      decode(ResolvedBearing, { manufacturer: 'SKF', modelNumber: '6205', orders: { ...orders, bsf: 0 } }),
    ).toEqual(E.left([{ name: 'orders.bsf', reason: 'must be a finite number greater than 0' }]));
  });
});

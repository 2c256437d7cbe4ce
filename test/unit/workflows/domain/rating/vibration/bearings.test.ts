import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { decode } from '../../../../../../workflows/domain/codecs';
import {
  bearingNamesOf,
  findBearing,
  indexBearings,
  knownBearings,
  resolveBearings,
  seekBearings,
} from '../../../../../../workflows/domain/rating/vibration/bearings/bearing-lookup';
import { ratingRules } from '../../../../../../workflows/domain/rating/rating-rules';
import { bearingsFile, orderFaults } from '../../../../../../workflows/domain/rating/vibration/bearings/bearings-file';
import {
  ordersOf,
  ResolvedBearing,
  type Geometry,
} from '../../../../../../workflows/domain/rating/vibration/bearings/bearing';
import { knownBearingRows } from '../../../../../../workflows/domain/rating/vibration/bearings/known-bearings';

type Published = readonly [
  name: string,
  /** The shaft speed in Hz at which the values are published; 1 for orders. */
  shaftHz: number,
  geometry: readonly [elements: number, elementDiameter: number, pitchDiameter: number, contactAngle?: number],
  bpfo: number,
  bpfi: number,
  ftf?: number,
  /** The published value for a rolling element, and by how much it is the spin: many print twice. */
  element?: readonly [number, 1 | 2],
];

/** As their sources print them; docs/bearings.md names the sources. */
const published: ReadonlyArray<Published> = [
  ['SKF 6205-2RS JEM, CWRU', 1, [9, 0.3126, 1.537], 3.5848, 5.4152, 0.39828, [4.7135, 2]],
  ['SKF 6203-2RS JEM, CWRU', 1, [8, 0.2656, 1.122], 3.053, 4.9469, 0.3817, [3.9874, 2]],
  ['MB ER-16K, Curtin University', 1, [9, 7.9375, 38.5], 3.572, 5.428, 0.3969, [2.32, 1]],
  ['LDK UER204, XJTU-SY, at 35 Hz', 35, [8, 7.92, 34.55], 107.91, 172.09, 13.49, [72.33, 1]],
  ['Rexnord ZA-2115, IMS, at 2,000 rpm', 2000 / 60, [16, 0.331, 2.815, 15.17], 236.4, 296.9, 14.78, [139.9, 1]],
  ['NICE, MFPT, at 25 Hz', 25, [8, 0.235, 1.245], 81.125, 118.875],
  ['bearingFaultBands, The MathWorks, at 25 Hz', 25, [8, 2, 12, 15], 83.901, 116.099, 10.488, [73.056, 1]],
];

const within = (share: number, actual: number, expected: number): boolean =>
  Math.abs(actual - expected) <= share * Math.abs(expected);

describe('defect orders', () => {
  test.each(published.map((row) => ({ name: row[0], row })))('of $name agree with those published', ({ row }) => {
    const [, shaftHz, [elements, elementDiameter, pitchDiameter, contactAngle], ...values] = row;
    const orders = ordersOf({
      elements,
      elementDiameter,
      pitchDiameter,
      ...(contactAngle !== undefined && { contactAngle }),
    });
    const [bpfo, bpfi, ftf = orders.ftf * shaftHz, [element, times] = [orders.bsf * shaftHz, 1]] = values;
    expect(within(0.001, orders.bpfo * shaftHz, bpfo)).toBe(true);
    expect(within(0.001, orders.bpfi * shaftHz, bpfi)).toBe(true);
    expect(within(0.001, orders.ftf * shaftHz, ftf)).toBe(true);
    expect(within(0.001, orders.bsf * times * shaftHz, element)).toBe(true);
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

  test('has no two rows of one name', () => expect(Object.keys(knownBearings)).toHaveLength(knownBearingRows.length));
});

describe('a designation', () => {
  const skf6205 = findBearing(knownBearings, 'SKF', '6205');
  test.each(
    ['6205-2RS', '6205-2RS JEM', '6205 2RS JEM', ' 6205 ', '6205-2RS1/C3', '6205ZZ', '6205ZZC3', '6205 TN9']
      .map((modelNumber) => ['SKF', modelNumber])
      .concat([
        ['skf', ' 6205 '],
        ['S K F', '6205/C3'],
      ]),
  )('%s %s is an SKF 6205', (manufacturer = '', modelNumber = '') => {
    expect(skf6205).toBeDefined();
    expect(findBearing(knownBearings, manufacturer, modelNumber)).toBe(skf6205);
  });

  const others = ['62052RS', '6205 E', '6205/W33', '6205 7', '6205A', 'W6205', '620', '2RS', '', 'ZZ', '__proto__'];
  test.each([
    ...[...others, '6205-2RS-2RS-2RS-2RS-2RS-2RS-2RS', `6205${'RS'.repeat(20)}`].map((one) => ['SKF', one]),
    ...['NTN', ''].map((manufacturer) => [manufacturer, '6205']),
  ])('%s %s is no bearing of the table', (manufacturer = '', modelNumber = '') => {
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

  test('without HALs finds none', () => expect(bearingNamesOf({})).toEqual([]));
});

describe('a bearing is found by its own spelling, whatever other spelling stands beside it', () => {
  const inside: Geometry = { elements: 7, elementDiameter: 1, pitchDiameter: 5 };
  const own = [{ manufacturer: 'skf', modelNumber: '6999', orders: ordersOf(inside) }];
  const found = (designations: ReadonlyArray<string>, turned = false) => {
    const halAlarms = designations.map((modelNumber) => ({
      label: 'BPFO',
      bearing: { manufacturer: 'SKF', modelNumber },
    }));
    const looked = resolveBearings({ halAlarms }, own);
    const { halRules } = ratingRules({ halAlarms }, { bearings: turned ? looked.toReversed() : looked });
    return halRules.map(({ families }) => (E.isRight(families) ? families.right[0]?.factor : families.left));
  };
  test.each([[['6203-2RS', '62032RS']], [['62032RS', '6203-2RS']], [['6999', '69992RS']], [['6999-2Z', '6999']]])(
    '%j',
    (designations) => {
      expect(found(designations)).toEqual(designations.flatMap((one) => found([one])));
      expect(found(designations, true)).toEqual(found(designations));
    },
  );
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
  const below = 'must be below pitchDiameter (1.537), by a factor of at most 1000';
  const wrongGeometry: ReadonlyArray<readonly [keyof Geometry, number, string]> = [
    ['elements', 8.5, 'must be a whole number from 2 to 1000'],
    ['elementDiameter', 2, below],
    ['elementDiameter', 1e-9, below],
    ['contactAngle', 90, 'must be from 0 to below 90 degrees'],
    ['contactAngle', -1, 'must be from 0 to below 90 degrees'],
  ];
  /** The row of `ftf` is 305K of the Timken table. */
  const wrongOrders: ReadonlyArray<readonly [keyof typeof orders, Partial<typeof orders>, string]> = [
    ['bsf', { bsf: 4.7135 }, 'must be at most 2.357: is it twice the spin frequency?'],
    ['bpfi', { bpfi: 5.2 }, 'must make 9 (elements) together with bpfo, and makes 8.785'],
    ['ftf', { ftf: 0.367 }, 'must be bpfo divided by elements, which is 0.3983'],
    ['bpfo', { bpfo: 5.415, bpfi: 3.585, ftf: 0.6017 }, 'must be below bpfi (3.585)'],
  ];
  test.each<readonly [object, string, string]>([
    [{ ...names }, '', either],
    [{ ...names, geometry, orders }, '', either],
    [{ ...names, manufacturer: '', geometry }, '.manufacturer', 'must be text of 1 to 1024 characters'],
    [{ ...names, geometri: geometry, geometry }, '.geometri', 'is not a known property'],
    ...wrongGeometry.map(
      ([name, value, reason]) =>
        [{ ...names, geometry: { ...geometry, [name]: value } }, `.geometry.${name}`, reason] as const,
    ),
    ...wrongOrders.map(
      ([name, wrong, reason]) => [{ ...names, orders: { ...orders, ...wrong } }, `.orders.${name}`, reason] as const,
    ),
  ])('with %j is refused: bearings.0%s %s', (bearing, name, reason) => {
    expect(decode(bearingsFile, { bearings: [bearing] })).toEqual(E.left([{ name: `bearings.0${name}`, reason }]));
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

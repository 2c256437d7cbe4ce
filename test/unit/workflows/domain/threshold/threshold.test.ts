import { describe, expect, test } from 'vitest';
import { DOCUMENT_BYTES, hardLimits, UNIT_LENGTH } from '../../../../../workflows/domain/limits';
import { storedThreshold, thresholdInput, thresholdView } from '../../../../../workflows/domain/threshold/threshold';
import { decoded, reasonsOf } from '../../../../support/reasons-of';
import { overall, thresholdOfBytes } from '../../../../support/measurements';
import { anId, nodeId } from '../../../../support/scenario';

const codec = thresholdInput(hardLimits);
const fixed = (value: number) => ({ value, valueType: 1 });
const times = (value: number) => ({ value, valueType: 2 });
const ofOverall = (value: number) => ({ value, valueType: 3 });
const bands = (...bandAlarms: ReadonlyArray<unknown>) => ({ bandAlarms });
const hals = (...halAlarms: ReadonlyArray<unknown>) => ({ halAlarms });
const choices = (...given: ReadonlyArray<unknown>) => ({ inspection: { choices: given } });
const rate = (rateOfChange: unknown) => ({ rateOfChange });
const origin = { id: '1', type: 'asset', provider: 'import' };
const many = <A>(count: number, item: (index: number) => A) => Array.from({ length: count }, (_, index) => item(index));

describe('what was PUT comes back as it was', () => {
  test.each(['overallThreshold', 'overallAlarmThreshold'])(
    'a band whose limits are called %s, renamed for GET',
    (name) => {
      const limits = { unit: 'mm/s', upperAlert: fixed(3), upperDanger: fixed(5) };
      const band = { label: '1x', minFrequency: times(0.9), maxFrequency: times(1.1) };
      expect(thresholdView(nodeId, decoded(codec, bands({ ...band, [name]: limits })))).toEqual({
        nodeId,
        ...bands({ ...band, overallAlarmThreshold: limits }),
      });
    },
  );

  const limited = { overallAlarmThreshold: {} };
  test.each<[name: string, given: unknown, then: unknown]>([
    ['null on an optional property means absent', { thresholdType: null, overall: null, bandAlarms: null }, {}],
    ['null on an optional limit means absent', rate({ unit: null, innerHigh: null }), rate({})],
    [
      'null on one name of a band’s limits leaves the other',
      bands({ ...limited, overallThreshold: null }),
      bands(limited),
    ],
    ['a UUID is kept in lower case', { nodeId: nodeId.toUpperCase() }, { nodeId }],
    ['an origin is carried', { origin }, { origin }],
  ])('%s', (_name, given, then) => expect(decoded(codec, given)).toStrictEqual(then));
});

test.each<[alert: object | undefined, danger: object | undefined, bases: object]>([
  [times(0.5), times(0.8), { fullScale: 10 }],
  [ofOverall(0.5), ofOverall(0.8), overall],
  [ofOverall(0.5), undefined, { thresholdType: 2, overall: { innerHigh: 0 } }],
  [undefined, ofOverall(0.5), { thresholdType: 2, overall: { outerHigh: 0 } }],
])('relative limits of a band need just their base: %j and %j have it in %j', (upperAlert, upperDanger, bases) => {
  expect(reasonsOf(codec, { ...bases, ...bands({ overallThreshold: { upperAlert, upperDanger } }) })).toEqual([]);
});

describe('upper limits are compared as they will be: each times its base', () => {
  const inner = { thresholdType: 2, overall: { innerHigh: 5, outerHigh: 9 }, fullScale: 3 };
  const below = { thresholdType: 2, overall: { innerHigh: -5, outerHigh: -4 } };
  const falls = (danger: number, alert: number, comes = true): string =>
    `bandAlarms.0.overallThreshold.upperDanger.value: must not be below upperAlert (${alert})${comes ? `, it comes to ${danger}` : ''}`;
  type Limit = ReturnType<typeof fixed>;
  test.each<[name: string, bases: object, alert: Limit, danger: Limit, then: ReadonlyArray<string>]>([
    ['factors that fall, products that rise: 10 and 13.5', inner, ofOverall(2), ofOverall(1.5), []],
    ['factors that rise, products that fall: -5 and -8', below, ofOverall(1), ofOverall(2), [falls(-8, -5)]],
    ['factors and products that fall: 10 and 9', inner, ofOverall(2), ofOverall(1), [falls(9, 10)]],
    ['negative factors of a positive base: -10 and -13.5', inner, ofOverall(-2), ofOverall(-1.5), [falls(-13.5, -10)]],
    ['shares of full scale that fall: 0.6 and 0.3', inner, times(0.2), times(0.1), [falls(0.3, 0.6)]],
    ['ABSOLUTE and RELATIVE_FULLSCALE that rise: 0.2 and 0.3', inner, fixed(0.2), times(0.1), []],
    ['equal but for noise: 0.3 and 3 x 0.1', inner, fixed(0.3), times(0.1), []],
    ['equal but for noise: 3 x 0.1 and 0.3', inner, times(0.1), fixed(0.3), []],
    ['ABSOLUTE and RELATIVE_FULLSCALE that fall: 5 and 0.3', inner, fixed(5), times(0.1), [falls(0.3, 5)]],
    ['RELATIVE_FULLSCALE and ABSOLUTE that fall: 0.3 and 0.2', inner, times(0.1), fixed(0.2), [falls(0.2, 0.3, false)]],
    ['RELATIVE_OVERALL and RELATIVE_FULLSCALE that rise: 5 and 6', inner, ofOverall(1), times(2), []],
    ['RELATIVE_OVERALL and RELATIVE_FULLSCALE that fall: 5 and 3', inner, ofOverall(1), times(1), [falls(3, 5)]],
    ['ABSOLUTE and RELATIVE_OVERALL that fall: 9.1 and 9', inner, fixed(9.1), ofOverall(1), [falls(9, 9.1)]],
    ['ABSOLUTE that fall: 5 and 4', {}, fixed(5), fixed(4), [falls(4, 5, false)]],
  ])('%s', (_name, bases, upperAlert, upperDanger, then) => {
    const given = (name: string) => ({ ...bases, ...bands({ [name]: { upperAlert, upperDanger } }) });
    expect(reasonsOf(codec, given('overallThreshold'))).toEqual(then);
    expect(reasonsOf(codec, given('overallAlarmThreshold'))).toEqual(
      then.map((reason) => reason.replace('overallThreshold', 'overallAlarmThreshold')),
    );
  });

  test('those of a HAL too: a limit that its sender multiplied is equal but for noise', () => {
    expect(reasonsOf(codec, hals({ label: 'BPFO', upperAlert: 3 * 1.1, upperDanger: 3.3 }))).toEqual([]);
  });
});

const long = 'x'.repeat(1_025);
const choice = (fault: string) => `inspection.choices.${fault}`;
const ofBand = (fault: string) => `bandAlarms.0.${fault}`;
const text = 'must be text of at most 1024 characters';
const falling = (edge: typeof fixed) => bands({ minFrequency: edge(10), maxFrequency: edge(9) });
/** A band of these upper limits. */
const upper = (upperAlert: object, upperDanger?: object) => bands({ overallThreshold: { upperAlert, upperDanger } });
const noBase = (limit: string, base: string) =>
  ofBand(`overallThreshold.${limit}: is relative to ${base}, which is not given`);

/** A threshold that is refused, and every reason for it. */
const refused: ReadonlyArray<readonly [given: unknown, ...then: ReadonlyArray<string>]> = [
  [7, ': must be an object'],
  [null, ': must be an object'],
  [[], ': must be an object'],
  [{ overal: {} }, 'overal: is not a known property'],
  [JSON.parse('{"__proto__": {"thresholdType": 0}}'), '__proto__: is not a known property'],
  [{ constructor: 1, toString: 2 }, 'constructor: is not a known property', 'toString: is not a known property'],
  [{ nodeId: 'node 7' }, 'nodeId: must be a UUID'],
  [{ nodeId: `{${nodeId}}` }, 'nodeId: must be a UUID'],
  [{ thresholdType: 4 }, 'thresholdType: must be one of 0, 1, 2, 3'],
  [{ thresholdType: '1' }, 'thresholdType: must be one of 0, 1, 2, 3'],
  [{ thresholdType: 1 }, 'overall: is required by thresholdType 1'],
  [{ thresholdType: 2 }, 'overall: is required by thresholdType 2'],
  [{ thresholdType: 3 }, 'inspection: is required by thresholdType 3'],
  [{ overall: {} }, 'thresholdType: must be 1 or 2 with overall'],
  [
    { thresholdType: 3, overall: {} },
    'thresholdType: must be 1 or 2 with overall',
    'inspection: is required by thresholdType 3',
  ],
  [{ thresholdType: 0, overall: {} }, 'thresholdType: must be 1 or 2 with overall'],
  [{ thresholdType: 3, overall: {}, ...choices() }, 'thresholdType: must be 1 or 2 with overall'],
  [{ thresholdType: 1, overall: { inerHigh: 5 } }, 'overall.inerHigh: is not a known property'],
  [{ thresholdType: 1, overall: { innerHigh: '5' } }, 'overall.innerHigh: must be a finite number'],
  [rate({ outerHigh: Infinity }), 'rateOfChange.outerHigh: must be a finite number'],
  [rate({ outerHigh: NaN }), 'rateOfChange.outerHigh: must be a finite number'],
  [rate({ unit: 'x'.repeat(UNIT_LENGTH + 1) }), 'rateOfChange.unit: must be text of at most 64 characters'],
  [rate({ innerLow: -3, outerLow: -2 }), 'rateOfChange.innerLow: must not be below outerLow (-2)'],
  [rate({ innerHigh: 1, innerLow: 2 }), 'rateOfChange.innerHigh: must not be below innerLow (2)'],
  [rate({ outerHigh: 1, innerHigh: 2 }), 'rateOfChange.outerHigh: must not be below innerHigh (2)'],
  [rate({ outerHigh: -1, outerLow: 0 }), 'rateOfChange.outerHigh: must not be below outerLow (0)'],
  [
    rate({ outerHigh: 1, innerHigh: 2, innerLow: 3, outerLow: 4 }),
    'rateOfChange.innerLow: must not be below outerLow (4)',
    'rateOfChange.innerHigh: must not be below innerLow (3)',
    'rateOfChange.outerHigh: must not be below innerHigh (2)',
  ],
  [{ inspection: {} }, 'inspection.choices: is required'],
  [{ inspection: { choices: null } }, 'inspection.choices: must be an array'],
  [choices({}), 'inspection.choices.0.answer: is required', 'inspection.choices.0.status: is required'],
  [choices({ answer: 'a', status: 5 }), 'inspection.choices.0.status: must be one of 0, 1, 2, 3, 4'],
  [choices({ answer: 'a', status: 2.5 }), 'inspection.choices.0.status: must be one of 0, 1, 2, 3, 4'],
  [
    choices(...['a', 'b', 'a', 'a'].map((answer) => ({ answer, status: 2 }))),
    ...[2, 3].map((at) => choice(`${at}.answer: must be unique among the choices`)),
  ],
  [choices({ answer: long, status: 2 }), choice(`0.answer: ${text}`)],
  [choices({ answer: 'a', instruction: long, status: 2 }), choice(`0.instruction: ${text}`)],
  [choices(...many(101, (at) => ({ answer: `${at}`, status: 2 }))), 'inspection.choices: must have at most 100 items'],
  [bands(...many(101, () => ({}))), 'bandAlarms: must have at most 100 items'],
  [hals(...many(101, () => ({ label: '' }))), 'halAlarms: must have at most 100 items'],
  [{ bandAlarms: {} }, 'bandAlarms: must be an array'],
  [bands({ minFrequency: { value: 1 } }), 'bandAlarms.0.minFrequency.valueType: is required'],
  [bands({}, { maxFrequency: ofOverall(1) }), 'bandAlarms.1.maxFrequency.valueType: must be one of 1, 2'],
  [falling(fixed), ofBand('maxFrequency.value: must not be below minFrequency (10)')],
  [falling(times), ofBand('maxFrequency.value: must not be below minFrequency (10)')],
  [upper({ value: 1, valueType: 4 }), ofBand('overallThreshold.upperAlert.valueType: must be one of 1, 2, 3')],
  [
    bands({ overallThreshold: {}, overallAlarmThreshold: {} }),
    'bandAlarms.0.overallAlarmThreshold: must not be given together with overallThreshold, which it is',
  ],
  [upper(times(0.5), times(0.8)), noBase('upperAlert', 'fullScale'), noBase('upperDanger', 'fullScale')],
  [
    { thresholdType: 2, overall: { innerLow: 1 }, ...upper(ofOverall(0.5), ofOverall(0.8)) },
    noBase('upperAlert', 'overall.innerHigh'),
    noBase('upperDanger', 'overall.outerHigh'),
  ],
  [upper(ofOverall(1)), noBase('upperAlert', 'overall.innerHigh')],
  [{ fullScale: 0 }, 'fullScale: must be a finite number greater than 0'],
  [{ fullScale: Infinity }, 'fullScale: must be a finite number greater than 0'],
  [hals({}), 'halAlarms.0.label: is required'],
  [hals({ label: 'a', halAlarmType: 'LOCAL' }), 'halAlarms.0.halAlarmType: must be one of GLOBAL, FREQUENCY'],
  [hals({ label: 'a', bearing: { manufacturer: 'SKF' } }), 'halAlarms.0.bearing.modelNumber: is required'],
  [hals({ label: 'a', upperAlert: 5, upperDanger: 4 }), 'halAlarms.0.upperDanger: must not be below upperAlert (5)'],
  [{ origin: { id: anId(1) } }, 'origin.type: is required', 'origin.provider: is required'],
  [
    { fullScale: -1, rateOfChange: { unit: 1 }, bandAlarms: [{ label: 2 }], surplus: true },
    'surplus: is not a known property',
    'rateOfChange.unit: must be text of at most 64 characters',
    ofBand(`label: ${text}`),
    'fullScale: must be a finite number greater than 0',
  ],
];

describe('refused, with every reason', () => {
  test.each(refused.map(([given, ...then]) => ({ given, then })))('$then', ({ given, then }) => {
    expect(reasonsOf(codec, given)).toEqual(then);
  });

  test('an origin inside a node: it belongs to the event', () => {
    expect(reasonsOf(storedThreshold, { origin })).toEqual(['origin: is not a known property']);
  });
});

describe('a threshold is at most 128 KiB as JSON', () => {
  const tooLarge = [`: must be at most ${DOCUMENT_BYTES} bytes as JSON`];
  test('131072 bytes are one', () => {
    expect(Buffer.byteLength(JSON.stringify(thresholdOfBytes(DOCUMENT_BYTES)))).toBe(DOCUMENT_BYTES);
    expect(reasonsOf(codec, thresholdOfBytes(DOCUMENT_BYTES))).toEqual([]);
  });

  test('131073 bytes are none', () => {
    expect(reasonsOf(codec, thresholdOfBytes(DOCUMENT_BYTES + 1))).toEqual(tooLarge);
    expect(reasonsOf(storedThreshold, thresholdOfBytes(DOCUMENT_BYTES + 1))).toEqual(tooLarge);
  });

  test('the node id and the origin, which are not kept with it, do not count', () => {
    expect(reasonsOf(codec, { nodeId, origin, ...thresholdOfBytes(DOCUMENT_BYTES) })).toEqual([]);
  });
});

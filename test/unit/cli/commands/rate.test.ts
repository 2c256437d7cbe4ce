import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectRoot } from '../../../../dev/stack/project-root';
import { answers, dataPoint, inspection, overall, spectrum } from '../../../support/measurements';
import { anId } from '../../../support/scenario';
import { folderWith, runHere } from '../../../support/run-program';

const rate = (folder: string, ...more: ReadonlyArray<string>) =>
  runHere(folder, 'rate', '--threshold', 't.json', '--measurement', 'm.json', ...more);
const files = (threshold: unknown, ...measurements: ReadonlyArray<unknown>) => ({
  't.json': JSON.stringify(threshold, null, 2),
  'm.json': measurements.map((one) => `${JSON.stringify(one)}\n`).join(''),
});

describe('one measurement is rated by the domain, with the limit that decided and the region', () => {
  test.each<[value: number, status: string, limit: string, region: string]>([
    [25, 'DANGER', 'outerHigh 20', 'above outerHigh'],
    [20, 'DANGER', 'outerHigh 20', 'at outerHigh'],
    [15, 'DANGER', 'innerHigh 10', 'between innerHigh and outerHigh'],
    [10, 'ALERT', 'innerHigh 10', 'at innerHigh'],
    [0, 'GOOD', '-', 'between innerLow and innerHigh'],
    [-15, 'DANGER', 'innerLow -10', 'between outerLow and innerLow'],
    [-25, 'DANGER', 'outerLow -20', 'below outerLow'],
  ])('%d is %s by %s, %s', async (value, status, limit, region) => {
    const { code, out } = await rate(folderWith(files(overall, dataPoint(value))));
    expect([code, out[1]?.split(/ {2,}/u)]).toEqual([0, ['overall', status, `${value} mm/s`, limit, region]]);
  });

  test.each<[threshold: object, value: number, line: RegExp]>([
    [{ thresholdType: 2, overall: { innerHigh: 10 } }, 12, /DANGER .*innerHigh 10 +above innerHigh$/u],
    [{ thresholdType: 2, overall: { innerHigh: 10 } }, 1, /GOOD .* below innerHigh$/u],
    [{ thresholdType: 2, overall: { unit: 'mm/s' } }, 1, /GOOD .* no limits$/u],
    [{ thresholdType: 1, overall: {} }, 1, /DANGER .* no limits$/u],
    [{ thresholdType: 2, overall: { outerHigh: 10, innerHigh: 10 } }, 10, /DANGER .*at outerHigh and innerHigh$/u],
  ])('limits that are absent or coincide: %j', async (threshold, value, line) => {
    expect((await rate(folderWith(files(threshold, dataPoint(value))))).out[1]).toMatch(line);
  });

  test('the other reading, and a unit that is not that of the limits', async () => {
    expect((await rate(folderWith(files(overall, dataPoint(15))), '--reading', 'alert-band')).out[1]).toContain(
      'ALERT',
    );
    const { err } = await rate(folderWith(files({ thresholdType: 2, overall: { unit: 'C' } }, dataPoint(1))));
    expect(err).toEqual(['overall is measured in mm/s, its limits are in C: nothing is converted']);
  });

  test('inspections, rates of change, bands and HALs', async () => {
    const { out } = await rate(
      folderWith(
        files({ ...inspection, rateOfChange: { outerHigh: 1 } }, answers(['worn', 'fine'], { rateOfChange: 2 })),
      ),
    );
    expect(out.slice(1)).toEqual([
      expect.stringMatching(/^rate of change +DANGER +2 +outerHigh 1 +above outerHigh$/u),
      expect.stringMatching(/^inspection +ALERT +- +- +the answer "worn"$/u),
    ]);
    const unanswered = await rate(folderWith(files(inspection, answers(['?']))));
    expect(unanswered.out[1]).toMatch(/NO_DATA .*no answer is one of the choices$/u);
    const limits = { upperAlert: { value: 0.1, valueType: 2 }, upperDanger: { value: 9, valueType: 1 } };
    const bands = {
      fullScale: 10,
      bandAlarms: [{ label: 'low', overallThreshold: limits }, { minFrequency: { value: 900, valueType: 1 } }, {}],
      halAlarms: [{ label: 'what?' }, { label: '1x', upperDanger: 2 }, { label: '2x', upperDanger: 1000 }],
    };
    const lines = Array.from({ length: 400 }, (_, x) => ({ x, y: x === 25 ? 3 : 0.01 }));
    const parts = (await rate(folderWith(files(bands, spectrum(lines))), '--json')).out.map((line): unknown =>
      JSON.parse(line),
    );
    expect(parts).toMatchObject([
      {
        part: 'band 0',
        label: 'low',
        status: 3,
        limit: { name: 'upperAlert', value: 1 },
        region: 'at or above upperAlert',
      },
      { part: 'band 1', status: 1, why: 'no line lies in the band' },
      { part: 'band 2', status: 2, region: 'no limits' },
      { part: 'HAL 0', status: 1, why: 'the label names no frequency' },
      { part: 'HAL 1', status: 4, limit: { name: 'upperDanger', value: 2 }, region: 'at or above upperDanger' },
      { part: 'HAL 2', status: 2, region: 'below upperDanger' },
    ]);
    const unread = spectrum(lines, { spectrum: { speed: 1500, xUnit: '?', yUnit: 'g', coordinates: lines } });
    const unknown = await rate(folderWith(files(bands, unread)));
    expect(unknown.out[1]).toMatch(/NO_DATA .*the x unit \? is not understood$/u);
  });
});

test('a limit that its value reaches as a decimal is the one that decided; a back-test as JSON has the values', async () => {
  const threshold = { fullScale: 3, bandAlarms: [{ overallThreshold: { upperAlert: { value: 0.1, valueType: 2 } } }] };
  const measured = [0.3, 0.2].map((y) => spectrum([{ x: 10, y }]));
  const back = await rate(folderWith(files(threshold, ...measured)), '--json');
  expect(JSON.parse(back.out[0]!)).toMatchObject({ part: 'band 0', unit: 'mm/s', values: [0.3, 0.2] });
  const { out } = await rate(folderWith(files(threshold, ...measured.slice(0, 1))));
  expect(out[1]).toMatch(/^band 0 +ALERT +0.3 mm\/s +upperAlert 0.3 +at or above upperAlert$/u);
});

test('a part that is measured in two units is named, and has no single unit', async () => {
  const measured = ['g', 'm/s2', 'g'].map((yUnit) => {
    const one = spectrum([{ x: 10, y: 1 }]) as { spectrum: object };
    return { ...one, spectrum: { ...one.spectrum, yUnit } };
  });
  const { out, err } = await rate(folderWith(files({ bandAlarms: [{}] }, ...measured)), '--json');
  expect(err).toEqual(['band 0 is measured in g and in m/s2: nothing is converted']);
  const [tested] = out.map((line): unknown => JSON.parse(line));
  expect(tested).toMatchObject({ units: ['g', 'm/s2'], values: [1, 1, 1] });
  expect(tested).not.toHaveProperty('unit');
});

test.each([
  ['a negative limit', { bandAlarms: [{ overallAlarmThreshold: { upperAlert: { value: -1, valueType: 1 } } }] }, 0],
  ['a very loud line', { bandAlarms: [{}] }, 1e308],
  ['the faintest line', { bandAlarms: [{}] }, Number.MIN_VALUE],
])('a picture has numbers only, with %s', async (_, threshold, y) => {
  const lines = Array.from({ length: 100 }, (__, x) => ({ x, y: x === 10 ? y : 0 }));
  const folder = folderWith(files(threshold, spectrum(lines)));
  expect((await rate(folder, '--svg', 'a.svg')).code).toBe(0);
  expect(readFileSync(join(folder, 'a.svg'), 'utf8')).not.toMatch(/NaN|Infinity/u);
});

describe('what a HAL found is explained', () => {
  const named = ['outer-race-threshold.json', 'outer-race.json'].map((name) =>
    join(projectRoot, 'docs/examples', name),
  );
  const explained = (...more: ReadonlyArray<string>) =>
    runHere(folderWith({}), 'rate', '--threshold', named[0]!, '--measurement', named[1]!, ...more);

  test('below the table: each harmonic with its amplitude, its floor and decibels, and the sentences', async () => {
    const { out } = await explained();
    const at = out.indexOf('HAL 0 BPFO');
    const [name, ...lines] = out.slice(at, at + 9);
    expect(name).toBe('HAL 0 BPFO');
    expect(lines).toEqual([
      expect.stringMatching(/^ {2}HARMONIC +1 +2 +3 +4 +5 +6 +7 +8 +9$/u),
      expect.stringMatching(/^ {2}HZ +107\.19 +214\.38 +321\.56/u),
      expect.stringMatching(/^ {2}AMPLITUDE +0\.0925 +0\.0616 +0\.03 /u),
      expect.stringMatching(/^ {2}FLOOR( +0\.00[67890]\d*){9}$/u),
      expect.stringMatching(/^ {2}DB +2\d\.\d +1\d\.\d +1\d\.\d/u),
      '  expected at 106.35 Hz (3.5848 x 29.667 Hz by the speed given), found at 107.19 Hz, 0.79 % above',
      expect.stringMatching(
        /^ {2}its harmonics exceed the noise floor by 15\.\d dB on average; the best rival, .+ Hz, by/u,
      ),
      '  harmonics that do not stand out, below 8.7 dB: 8, 9',
    ]);
  });

  test('as JSON it is a member of the line of its part', async () => {
    const { out } = await explained('--json');
    expect(out).toHaveLength(5);
    expect(JSON.parse(out[1]!)).toMatchObject({
      ...{ part: 'HAL 0', label: 'BPFO', value: expect.closeTo(5.8, 0) },
      hal: { name: 'BPFO of SKF 6205', deviation: expect.closeTo(0.0079, 4), explainedBy: [] },
    });
  });
});

test('a bearing is known by its own spelling, whatever other spelling stands beside it', async () => {
  const named = (modelNumber: string) => ({ label: 'BPFO', bearing: { manufacturer: 'SKF', modelNumber } });
  const lines = Array.from({ length: 400 }, (_, x) => ({ x, y: 0.01 }));
  const { out } = await rate(
    folderWith(files({ halAlarms: [named('6203-2RS'), named('62032RS')] }, spectrum(lines))),
    '--json',
  );
  expect(out.map((line) => (JSON.parse(line) as { why?: string }).why)).toEqual([
    undefined,
    'unknown bearing SKF 62032RS',
  ]);
});

test('a band of multiples at a speed of 0 says so, and not that it holds no line', async () => {
  const threshold = { bandAlarms: [{ maxFrequency: { value: 2, valueType: 2 } }, {}] };
  const standing = spectrum([{ x: 1, y: 1 }]) as { spectrum: object };
  const still = { ...standing, spectrum: { ...standing.spectrum, speed: 0 } };
  const { out } = await rate(folderWith(files(threshold, still)));
  expect(out[1]).toMatch(/^band 0 +NO_DATA .*the speed is 0$/u);
  expect(out[2]).toMatch(/^band 1 +GOOD/u);
});

test('many measurements are a back-test: how often and when each part would have alarmed', async () => {
  const at = (hour: number) => `2026-01-31T0${hour}:00:00.000Z`;
  const series = [0, 10, 10, 25, 0, 25].map((value, hour) =>
    dataPoint(value, { measurementId: anId(hour), createdAt: at(hour) }),
  );
  const [first, ...others] = series;
  const { code, out } = await rate(folderWith(files(overall, ...others, first)));
  expect(code).toBe(0);
  expect(out.map((line) => line.split(/ {2,}/u))).toEqual([
    ['PART', 'NO_DATA', 'GOOD', 'ALERT', 'DANGER', 'TIMES', 'TIME IN ALERT', 'TIME IN DANGER'],
    ['overall', '0', '2', '2', '2', '3', '40.0 %', '20.0 %'],
    [''],
    ['PART', 'STATUS', 'FROM', 'TO', 'MEASUREMENTS'],
    ['overall', 'ALERT', at(1), at(3), '2'],
    ['overall', 'DANGER', at(3), at(4), '1'],
    ['overall', 'DANGER', at(5), 'the end', '1'],
  ]);
});

test('a back-test as JSON has counts, shares of the time and episodes, by the moment of createdAt in whatever form', async () => {
  const written = ['2026-01-31T00:00Z', '2026-01-31T02:00:00+01', '2026-01-30T22:00:00.123456789-0500'];
  const series = written.map((createdAt, hour) =>
    dataPoint(hour === 0 ? 0 : 25, { measurementId: anId(hour), createdAt }),
  );
  const { out } = await rate(folderWith(files(overall, ...series.reverse())), '--json');
  const [hour, from] = [3_600_000, Date.UTC(2026, 0, 31, 1)];
  expect(out.map((line): unknown => JSON.parse(line))).toEqual([
    {
      part: 'overall',
      counts: { 0: 0, 1: 0, 2: 1, 3: 0, 4: 2 },
      shares: { alert: 0, danger: (2 * hour + 123) / (3 * hour + 123) },
      episodes: [{ part: 'overall', status: 4, from, measurements: 2 }],
    },
  ]);
});

describe('the picture', () => {
  test('of the outer race is the one of the documents', async () => {
    const folder = folderWith({});
    const [threshold, measurement] = ['outer-race-threshold.json', 'outer-race.json'].map((name) =>
      join(projectRoot, 'docs/examples', name),
    );
    const args = ['--threshold', threshold!, '--measurement', measurement!, '--svg', 'outer-race.svg'];
    expect(await runHere(folder, 'rate', ...args)).toMatchObject({ code: 0, err: [] });
    const drawn = readFileSync(join(folder, 'outer-race.svg'), 'utf8');
    expect(drawn).toBe(readFileSync(join(projectRoot, 'docs/images/outer-race.svg'), 'utf8'));
    const shown = ['BPFI', 'BSF', '>DANGER<', 'index 5.', '1× BPFO', '0.79 % above', 'alert 3.5, danger 5'];
    for (const text of [...shown, 'lowest frequencies', '9×']) expect(drawn).toContain(text);
  });

  test('of a single line at 0 Hz holds numbers alone', async () => {
    const folder = folderWith(files({ bandAlarms: [{}] }, spectrum([{ x: 0, y: 1 }])));
    expect(await rate(folder, '--svg', 'p.svg')).toMatchObject({ code: 0, err: [] });
    expect(readFileSync(join(folder, 'p.svg'), 'utf8')).not.toMatch(/NaN|Infinity/u);
  });

  test('is XML whatever a label holds, also of a HAL without data, a band without lines, and lines of 0', async () => {
    const odd = {
      bandAlarms: [{ label: '<b> & "q" \u0001' }, { minFrequency: { value: 999, valueType: 1 } }],
      halAlarms: [{ label: 'none <x>' }],
    };
    const lines = Array.from({ length: 10 }, (_, x) => ({ x, y: 0 }));
    const folder = folderWith(files(odd, spectrum(lines)));
    expect(await rate(folder, '--svg', 'p.svg')).toMatchObject({ code: 0, err: [] });
    const drawn = readFileSync(join(folder, 'p.svg'), 'utf8');
    expect(drawn).toContain('&lt;b> &amp; &quot;q&quot; \uFFFD');
    expect(drawn).not.toMatch(/NaN|Infinity|undefined/u);
  });
});

/** The files `t.json` and `m.json`, which are all right but for what is `given`. */
interface Given {
  readonly t?: string;
  readonly m?: ReadonlyArray<unknown>;
  readonly code?: number;
  readonly more?: ReadonlyArray<string>;
}
const svg = ['--svg', 'x.svg'];
const limit = (value: string): Given => ({ t: `{"thresholdType": 2, "overall": {"innerHigh": ${value}}}` });
const bands = '{"bandAlarms": [{}]}';
const two = [dataPoint(1), dataPoint(2)];
const invalid = [dataPoint(1), { ...dataPoint(1), measurementId: 'x' }];

test.each<[name: string, given: Given, err: RegExp]>([
  ['a threshold that is not valid', limit('"x"'), /^t\.json, line 1: overall\.innerHigh must be a/u],
  ['a threshold that is no JSON', { t: '{"a":\n  1,,}' }, /^t\.json, line 2 is not JSON: ./u],
  ['a property twice', limit('9, "innerHigh": 99'), /^t\.json, line 1: overall\.innerHigh is named twice$/u],
  ['a limit that JSON reads as infinite', limit('1e999'), /^t\.json, line 1: overall\.innerHigh must be a finite/u],
  ['too many levels', { t: '['.repeat(65) + ']'.repeat(65) }, /^t\.json, line 1: it must nest at most 64 levels$/u],
  ['a measurement that is not valid', { m: invalid, code: 1 }, /^m\.json, line 2: measurementId must be a UUID/u],
  ['a file without measurements', { m: [] }, /^m\.json holds no measurement/u],
  ['a picture of many', { m: two, more: svg }, /holds 2 measurements; --svg draws a single one/u],
  ['a picture of a data point', { more: svg }, /--svg draws a measurement of type SPECTRUM/u],
  ['a picture of no lines', { t: bands, m: [spectrum([])], more: svg }, /cannot be drawn: the spectrum has no lines/u],
  ['bearings that are none', { more: ['--bearings', 't.json'] }, /^t\.json is not valid: .* is not a known property/u],
  ['another kind', { t: JSON.stringify(inspection), code: 0 }, /no part of the threshold is rated by DATA_POINT/u],
])(
  'what is wrong is said by file, line and field %s',
  async (_name, { t = JSON.stringify(overall), m = [dataPoint(1)], code = 2, more = [] }, err) => {
    const ended = await rate(folderWith({ ...files({}, ...m), 't.json': t }), ...more);
    expect([ended.code, ended.err.join('\n')]).toEqual([code, expect.stringMatching(err)]);
  },
);

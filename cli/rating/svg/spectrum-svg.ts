import * as E from 'fp-ts/Either';
import type { MeasurementOf } from '../../../workflows/domain/measurement/measurement';
import { statusNames, worst } from '../../../workflows/domain/alarm/status';
import { examineSpectrum, type ExaminedSpectrum } from '../../../workflows/domain/rating/examine-spectrum';
import type { Rated } from '../../../workflows/domain/rating/rate';
import { hzAt } from '../../../workflows/domain/rating/vibration/lines';
import { explainRating, type ExplainedPart } from '../explain-rating';
import { element, line, text } from './elements';
import { BAND_HEIGHT, bandRow, EVIDENT_DB, halRow, heightOf, type BandRow, type HalRow } from './rows';
import { lowPartOf, spectrumPanel, SPECTRUM_HEIGHT, type Marked } from './spectrum-panel';
import { colourOf, colours, LEFT, RIGHT, short, WIDTH } from './style';

/**
 * A spectrum with its bands, limits, noise floor and harmonics, and the verdict of each part, as SVG.
 *
 * In the spectrum the harmonics of the worst HAL are marked: filled where they count, hollow where they do not.
 * Errors: why the spectrum cannot be read, one line.
 */
export const spectrumSvg = (rated: Rated, measurement: MeasurementOf<'SPECTRUM'>): E.Either<string, string> =>
  E.map((examined: ExaminedSpectrum) => drawn(rated, measurement, examined))(
    examineSpectrum(rated.threshold, rated.bearings, measurement),
  );

const drawn = (rated: Rated, measurement: MeasurementOf<'SPECTRUM'>, examined: ExaminedSpectrum): string => {
  const parts = new Map(explainRating(rated, measurement).map((part) => [part.part, part]));
  const hals = halRows(rated, parts);
  const bands = bandRows(rated, examined, parts);
  const marked = worstOf(hals);
  const slowest = slowestOf(hals, examined);
  const verdict = worst([...parts.values()].map(({ status }) => status));
  const { speed, yUnit } = measurement.spectrum;
  const head = `${measurement.createdAt}, ${examined.lines.hz.length} lines, ${Number(speed.toPrecision(6))} rpm (${short(speed / 60)} Hz)`;
  const names = bands.map(({ name }) => name);
  const sections: ReadonlyArray<Section> = [
    { height: SPECTRUM_HEIGHT, draw: (y) => spectrumPanel(y, examined, names, markedBy(marked), yUnit) },
    ...(slowest === undefined
      ? []
      : [
          titled(`The lowest frequencies, with the harmonics of ${slowest.name}`),
          {
            height: SPECTRUM_HEIGHT,
            draw: (y: number) =>
              spectrumPanel(y, lowPartOf(examined, ZOOMED * slowest.hal.foundHz), [], markedBy(slowest), yUnit),
          },
        ]),
    ...(hals.length === 0
      ? []
      : [
          titled(
            `Decibels by which each harmonic exceeds its noise floor: filled where it counts, from the dashed ${short(EVIDENT_DB)} dB on`,
          ),
        ]),
    ...hals.map((row) => ({ height: heightOf(row), draw: (y: number) => halRow(y, row) })),
    ...(bands.length === 0 ? [] : [titled(`Bands: the effective value of their lines, ${yUnit}`)]),
    ...bands.map((row) => ({ height: BAND_HEIGHT, draw: (y: number) => bandRow(y, row) })),
  ];
  const height = sections.reduce((sum, section) => sum + section.height, HEAD) + 20;
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${WIDTH} ${height}`,
      'font-family': 'sans-serif',
      'font-size': 12,
    },
    element('title', {}, `Spectrum: ${statusNames[verdict]}`),
    element('rect', { width: WIDTH, height, fill: 'white' }),
    text(LEFT, 30, statusNames[verdict], { 'font-size': 22, 'font-weight': 'bold', fill: colourOf(verdict) }),
    text(LEFT + 190, 30, head, { 'font-size': 14 }),
    text(LEFT + 190, 52, legendOf(marked), { fill: colours.faint }),
    ...stacked(sections),
  );
};

/** What is drawn below another. */
interface Section {
  readonly height: number;
  readonly draw: (y: number) => ReadonlyArray<string>;
}

const stacked = (sections: ReadonlyArray<Section>): ReadonlyArray<string> => {
  let y = HEAD;
  return sections.flatMap(({ height, draw }) => {
    y += height;
    return draw(y - height);
  });
};

const titled = (content: string): Section => ({
  height: 34,
  draw: (y) => [
    line(LEFT, y + 12, RIGHT, y + 12, { stroke: colours.grid }),
    text(LEFT, y + 30, content, { 'font-size': 13, fill: colours.faint }),
  ],
});

const legendOf = (marked: HalRow | undefined): string =>
  [
    'dashed: noise floor',
    ...(marked === undefined ? [] : [`triangles: harmonics of ${marked.name}, hollow where they do not count`]),
  ].join('; ');

const HEAD = 60;
/** The low part of the spectrum ends behind the tenth harmonic of the slowest HAL. */
const ZOOMED = 10.5;
/** It is drawn where it is at most this share of the spectrum. */
const MOST_ZOOMED = 1 / 4;

type Parts = ReadonlyMap<string, ExplainedPart>;
type FoundRow = HalRow & Required<Pick<HalRow, 'hal'>>;

const halRows = ({ threshold }: Rated, parts: Parts): ReadonlyArray<HalRow> =>
  (threshold.halAlarms ?? []).map(({ label, upperAlert, upperDanger }, at) => {
    const { status = 1, region = '', why = region, hal } = parts.get(`HAL ${at}`) ?? {};
    return {
      ...{ name: label, status, why: hal === undefined ? why : `index ${short(hal.index)}: ${why}` },
      limits: [
        ...(upperAlert === undefined ? [] : [`alert ${short(upperAlert)}`]),
        ...(upperDanger === undefined ? [] : [`danger ${short(upperDanger)}`]),
      ].join(', '),
      ...(hal !== undefined && { hal }),
    };
  });

const isFound = (row: HalRow): row is FoundRow => row.hal !== undefined;

/** The HAL that stands out most among the worst. */
const worstOf = (rows: ReadonlyArray<HalRow>): FoundRow | undefined =>
  rows.filter(isFound).sort((one, other) => other.status - one.status || other.hal.index - one.hal.index)[0];

/** The HAL of the lowest frequency, where its harmonics cannot be told apart in the spectrum as a whole. */
const slowestOf = (rows: ReadonlyArray<HalRow>, { lines }: ExaminedSpectrum): FoundRow | undefined =>
  rows
    .filter(isFound)
    .filter(({ hal }) => ZOOMED * hal.foundHz < MOST_ZOOMED * hzAt(lines, lines.hz.length - 1))
    .sort((one, other) => one.hal.foundHz - other.hal.foundHz)[0];

const markedBy = (row: FoundRow | undefined): Marked | undefined =>
  row && { name: row.name, colour: colourOf(row.status), harmonics: row.hal.harmonics };

const bandRows = ({ threshold }: Rated, examined: ExaminedSpectrum, parts: Parts): ReadonlyArray<BandRow> =>
  (threshold.bandAlarms ?? []).map(({ label }, at) => {
    const { status = 1, value, unit = '', region = '', why = region } = parts.get(`band ${at}`) ?? {};
    const { upperAlert, upperDanger } = examined.bands[at] ?? {};
    return {
      name: label === undefined || label === '' ? `band ${at}` : label,
      status,
      unit,
      why,
      ...(value !== undefined && { value }),
      ...(upperAlert !== undefined && { upperAlert }),
      ...(upperDanger !== undefined && { upperDanger }),
    };
  });

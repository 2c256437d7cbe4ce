import * as E from 'fp-ts/Either';
import type { MeasurementOf } from '../../../workflows/domain/measurement/measurement';
import { statusNames, worst } from '../../../workflows/domain/alarm/status';
import { examineSpectrum, type ExaminedSpectrum } from '../../../workflows/domain/rating/examine-spectrum';
import type { Rated } from '../../../workflows/domain/rating/rate';
import { explainRating, type ExplainedPart } from '../explain-rating';
import { element, line, text } from './elements';
import { BAND_HEIGHT, bandRow, HAL_HEIGHT, halRow, type BandRow, type HalRow } from './rows';
import { spectrumPanel, SPECTRUM_HEIGHT, type Marked } from './spectrum-panel';
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
  const hals = halRows(rated, examined, parts);
  const bands = bandRows(rated, examined, parts);
  const marked = markedOf(hals, examined);
  const verdict = worst([...parts.values()].map(({ status }) => status));
  const { speed, yUnit } = measurement.spectrum;
  const head = `${measurement.createdAt}, ${examined.lines.hz.length} lines, ${Number(speed.toPrecision(6))} rpm (${short(speed / 60)} Hz)`;
  const halsAt = HEAD + SPECTRUM_HEIGHT + TITLE;
  const bandsAt = halsAt + hals.length * HAL_HEIGHT + (hals.length > 0 ? TITLE : 0);
  const height = bandsAt + bands.length * BAND_HEIGHT + 20;
  const title = (y: number, content: string): ReadonlyArray<string> => [
    line(LEFT, y - 22, RIGHT, y - 22, { stroke: colours.grid }),
    text(LEFT, y - 4, content, { 'font-size': 13, fill: colours.faint }),
  ];
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
    ...spectrumPanel(
      HEAD,
      examined,
      bands.map(({ name }) => name),
      marked,
      yUnit,
    ),
    ...(hals.length > 0
      ? title(halsAt, 'How many times each harmonic exceeds its noise floor: filled where it counts for the index')
      : []),
    ...hals.flatMap((row, at) => halRow(halsAt + at * HAL_HEIGHT, row)),
    ...(bands.length > 0 ? title(bandsAt, `Bands: the effective value of their lines, ${yUnit}`) : []),
    ...bands.flatMap((row, at) => bandRow(bandsAt + at * BAND_HEIGHT, row)),
  );
};

const legendOf = (marked: Marked | undefined): string =>
  [
    'dashed: noise floor',
    ...(marked === undefined ? [] : [`triangles: harmonics of ${marked.name}, hollow where they do not count`]),
  ].join('; ');

const HEAD = 60;
const TITLE = 34;

type Parts = ReadonlyMap<string, ExplainedPart>;

const halRows = ({ threshold }: Rated, examined: ExaminedSpectrum, parts: Parts): ReadonlyArray<HalRow> =>
  (threshold.halAlarms ?? []).map(({ label, upperAlert, upperDanger }, at) => {
    const { status = 1, value, region = '', why = region } = parts.get(`HAL ${at}`) ?? {};
    const found = examined.hals[at];
    const harmonics = found !== undefined && E.isRight(found) ? found.right.harmonics : [];
    return {
      name: label,
      status,
      why: value === undefined ? why : `index ${short(value)}: ${why}`,
      harmonics: new Map(
        harmonics.map(({ number, amplitude, noiseFloor, why: without }) => [
          number,
          { ratio: noiseFloor > 0 ? amplitude / noiseFloor : 0, counts: without === undefined },
        ]),
      ),
      ...(value !== undefined && { index: value }),
      ...(upperAlert !== undefined && { upperAlert }),
      ...(upperDanger !== undefined && { upperDanger }),
    };
  });

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

/** The harmonics of the HAL that stands out most among the worst. */
const markedOf = (hals: ReadonlyArray<HalRow>, { hals: found }: ExaminedSpectrum): Marked | undefined => {
  const [worstHal] = hals
    .map((row, at) => ({ row, found: found[at] }))
    .sort((one, other) => other.row.status - one.row.status || (other.row.index ?? 0) - (one.row.index ?? 0));
  if (worstHal?.found === undefined || E.isLeft(worstHal.found)) return undefined;
  const { row } = worstHal;
  return {
    name: row.name,
    colour: colourOf(row.status),
    harmonics: worstHal.found.right.harmonics.map(({ number, hz, amplitude, why }) =>
      why === undefined ? { number, hz, amplitude, isFound: true } : { number, hz, isFound: false },
    ),
  };
};

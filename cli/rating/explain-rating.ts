import * as E from 'fp-ts/Either';
import { partsView } from '../../workflows/domain/alarm/alarm-status';
import { alarmParts, type AlarmPart } from '../../workflows/domain/alarm/alarm-lines';
import { statusNames } from '../../workflows/domain/alarm/status';
import type { Measurement } from '../../workflows/domain/measurement/measurement';
import { examineSpectrum } from '../../workflows/domain/rating/rate-spectrum';
import type { RatingRules } from '../../workflows/domain/rating/rating-rules';
import { rateMeasurement } from '../../workflows/domain/rating/rate';
import { cellsOf, type Cell } from '../../workflows/domain/rating/overall-regions';
import type { ExaminedHal } from '../../workflows/domain/rating/vibration/hal/examine-hal';
import { explainHal } from '../../workflows/domain/rating/vibration/hal/explain-hal';
import {
  limitNames,
  reachedLimit,
  type AlarmLimits,
  type UpperLimits,
} from '../../workflows/domain/threshold/alarm-limits';
import { printable } from '../failure';
import { nameOf, quantity, significant, tableOf } from '../table';

/** A part of a node (one of its alarms) with the limit or the reason that decided its status. */
export interface ExplainedPart extends AlarmPart, Partial<Decision> {
  readonly why?: string;
  readonly hal?: ExaminedHal;
}

/** The parts whose status follows from `measurement`, each with the status that a node would give it, and the reason. */
export const explainRating = (rules: RatingRules, measurement: Measurement): ReadonlyArray<ExplainedPart> => {
  const parts = alarmParts(partsView(rules.threshold, rateMeasurement(rules, measurement)));
  const decisions = new Map<string, Partial<ExplainedPart>>([
    ['rate of change', byFour(rules.threshold.rateOfChange, measurement.rateOfChange)],
    ...contentDecisions(rules, measurement, new Map(parts.map(({ part, value }) => [part, value]))),
  ]);
  return parts.map((part) => ({ ...part, ...decisions.get(part.part) }));
};

type Explained = readonly [part: string, Partial<ExplainedPart>];

const contentDecisions = (
  rules: RatingRules,
  measurement: Measurement,
  values: ReadonlyMap<string, number | undefined>,
): ReadonlyArray<Explained> => {
  const { overall, inspection, bandAlarms = [], halAlarms = [] } = rules.threshold;
  switch (measurement.contentType) {
    case 'DATA_POINT': {
      const { coordinate, yUnit } = measurement.dataPoint;
      return [['overall', byFour(overall, coordinate.y, yUnit)]];
    }
    case 'QUESTION_ANSWERS': {
      const answered = inspection?.choices.filter(({ answer }) => measurement.questionAnswers.includes(answer)) ?? [];
      const worst = answered.reduce((most, { status }) => Math.max(most, status), 0);
      const deciding = answered.find(({ status }) => status === worst);
      if (deciding === undefined) return [['inspection', { why: 'no answer is one of the choices' }]];
      return [['inspection', { region: `the answer "${deciding.answer}"` }]];
    }
    case 'SPECTRUM': {
      const examined = examineSpectrum(rules, measurement);
      if (E.isLeft(examined)) return bandAlarms.map((_, at) => [`band ${at}`, { why: examined.left }]);
      const { bands, hals } = examined.right;
      return [
        ...bands.map(({ whyNoValue: why, ...limits }, at): Explained => {
          const value = values.get(`band ${at}`);
          return [`band ${at}`, value === undefined ? { why } : upperLimit(limits, value)];
        }),
        ...hals.map((hal, at): Explained => [
          `HAL ${at}`,
          E.isLeft(hal) ? {} : { ...upperLimit(halAlarms[at] ?? {}, hal.right.index), hal: hal.right },
        ]),
      ];
    }
  }
};

const byFour = (limits: AlarmLimits | undefined, value: number | undefined, unit?: string): Partial<ExplainedPart> =>
  limits === undefined || value === undefined
    ? {}
    : { value, ...(unit !== undefined && { unit }), ...decidingLimit(limits, cellsOf(limits, value)) };

/** The limit that decided a status, if the value reached or passed one, and the region between limits that holds the value. */
interface Decision {
  readonly limit?: { readonly name: string; readonly value: number };
  readonly region: string;
}

/** `cellsOf` numbers nine cells from the highest values down: odd numbers are limits, even numbers the regions between them. */
const fromTheHighest = limitNames.toReversed();
const INNERMOST = 4;

/** The limit that decides for a value: one equal to it, or else the last one between the innermost cell and the value. */
const decidingLimit = (limits: AlarmLimits, cells: readonly [Cell, ...Cell[]]): Decision => {
  const at = cells.flatMap((cell) => (cell % 2 === 1 ? (fromTheHighest[(cell - 1) / 2] ?? []) : []));
  const [cell] = cells;
  const isGiven = (name: (typeof limitNames)[number]): boolean => limits[name] !== undefined;
  const high = fromTheHighest.slice(0, cell / 2).findLast(isGiven);
  const low = fromTheHighest.slice(cell / 2).find(isGiven);
  const passedFromInside = cell === INNERMOST ? undefined : cell < INNERMOST ? low : high;
  const name = at[0] ?? passedFromInside;
  const value = name && limits[name];
  return {
    ...(name !== undefined && value !== undefined && { limit: { name, value } }),
    region: at.length > 0 ? `at ${at.join(' and ')}` : regionText(low, high),
  };
};

const regionText = (low: string | undefined, high: string | undefined): string => {
  if (low !== undefined && high !== undefined) return `between ${low} and ${high}`;
  if (low !== undefined) return `above ${low}`;
  return high === undefined ? 'no limits' : `below ${high}`;
};

const upperLimit = (limits: UpperLimits, value: number): Decision => {
  const limit = reachedLimit(value, limits);
  if (limit !== undefined) return { limit, region: `at or above ${limit.name}` };
  if (limits.upperAlert !== undefined) return { region: 'below upperAlert' };
  return { region: limits.upperDanger === undefined ? 'no limits' : 'below upperDanger' };
};

/** The explained parts as one line of JSON each, or as a table, followed by the harmonics of each HAL (harmonic alarm). */
export const explainedLines = (parts: ReadonlyArray<ExplainedPart>, json: boolean): ReadonlyArray<string> =>
  json ? parts.map((part) => JSON.stringify(part)) : explainedTable(parts);

const explainedTable = (parts: ReadonlyArray<ExplainedPart>): ReadonlyArray<string> => [
  ...tableOf([
    ['PART', 'STATUS', 'VALUE', 'LIMIT', 'REGION'],
    ...parts.map(({ part, label, status, value, unit, limit, region, why }) => [
      nameOf({ part, label }),
      statusNames[status],
      value === undefined ? '-' : printable(quantity(value, unit)),
      limit === undefined ? '-' : `${limit.name} ${quantity(limit.value)}`,
      printable(why ?? region ?? '-'),
    ]),
  ]),
  ...parts.flatMap((part) => (part.hal === undefined ? [] : ['', nameOf(part), ...halLines(part.hal)])),
];

const halLines = (hal: ExaminedHal): ReadonlyArray<string> => {
  type Harmonic = ExaminedHal['harmonics'][number];
  const row = (title: string, cellOf: (harmonic: Harmonic) => string) => [title, ...hal.harmonics.map(cellOf)];
  return [
    ...tableOf([
      row('HARMONIC', ({ number }) => String(number)),
      row('HZ', ({ hz }) => significant(hz, 5)),
      row('AMPLITUDE', ({ amplitude }) => significant(amplitude, 3)),
      row('FLOOR', ({ noiseFloor }) => significant(noiseFloor, 3)),
      row('DB', ({ decibels }) => decibels.toFixed(1)),
    ]),
    ...explainHal(hal),
  ].map((line) => `  ${printable(line)}`);
};

import type { HalPart, Part } from '../alarm/parts';
import { statusNames, type Status } from '../alarm/status';
import { RELATIVE_FULLSCALE, RELATIVE_OVERALL, type BandLimit } from '../threshold/band';
import { code, number, words, type Row } from './markdown';
import type { State } from './state';

/** Alarms listed by name; a page of hundreds is of no use, and the query `alarmStatus` has them all. */
const MOST_LISTED = 20;
/** Characters of an id; the UI gives the page half of its width. */
const ID_SHOWN = 8;

export const ALARM_COLUMNS: Row = ['Alarm', 'Status', 'Value', 'Limits', 'Measurement'];

/** The alarms that a node holds, a row each: what it is rated, by what, and where its limits lie. */
export const alarmRows = (state: State): ReadonlyArray<Row> => {
  const rows = [...singleRows(state), ...bandRows(state), ...halRows(state)];
  const left = rows.length - MOST_LISTED;
  const listed = rows.slice(0, MOST_LISTED).map((row) => row());
  return left > 0 ? [...listed, [`and ${left} more: query alarmStatus`, '', '', '', '']] : listed;
};

/** Made only where it is listed: a node may hold two hundred alarms, and is described on every change. */
type Rows = ReadonlyArray<() => Row>;

const singleRows = ({ parts, threshold, latest }: State): Rows => {
  const { DATA_POINT: point, QUESTION_ANSWERS: answers, rateOfChange: rate } = latest;
  const choices = threshold.inspection?.choices.length ?? 0;
  return [
    ...rowOf(
      'overall',
      parts.overall,
      ratedBy(parts.overall, point, ({ dataPoint: { coordinate, yUnit } }) => words(number(coordinate.y), code(yUnit))),
      'below',
    ),
    ...rowOf(
      'rate of change',
      parts.rateOfChange,
      ratedBy(parts.rateOfChange, rate, ({ value }) => number(value)),
      'below',
    ),
    ...rowOf(
      'inspection',
      parts.inspection,
      ratedBy(parts.inspection, answers, ({ questionAnswers }) =>
        code(questionAnswers.slice(0, MOST_LISTED).join(', ')),
      ),
      `${choices} choices`,
    ),
    ...rowOf(
      'external',
      parts.external,
      '',
      words(parts.external?.setBy === undefined ? '' : 'set by', code(parts.external?.setBy?.slice(0, ID_SHOWN))),
    ),
  ];
};

const bandRows = ({ parts, threshold }: State): Rows =>
  (parts.bands ?? []).map((part, index) => () => {
    const { label, overallThreshold: limits } = threshold.bandAlarms?.[index] ?? {};
    const { value, unit } = part.calculatedOverall ?? {};
    const rated = words(number(value), code(unit));
    const shown = limitsText(bandLimit(limits?.upperAlert), bandLimit(limits?.upperDanger), code(limits?.unit));
    return alarmRow(words(`band ${index}`, code(label)), part, rated, shown);
  });

const halRows = ({ parts, threshold }: State): Rows =>
  (parts.hals ?? []).map((part, index) => () => {
    const { label, upperAlert, upperDanger } = threshold.halAlarms?.[index] ?? {};
    return alarmRow(
      words(`HAL ${index}`, code(label)),
      part,
      halValue(part),
      limitsText(number(upperAlert), number(upperDanger), ''),
    );
  });

const halValue = ({ halIndex, faultFrequency, errorDescription }: HalPart): string =>
  halIndex === undefined ? code(errorDescription) : words(number(halIndex), 'at', number(faultFrequency), 'Hz');

const limitsText = (alert: string, danger: string, unit: string): string =>
  words(alert === '' ? '' : `alert ${alert}`, danger === '' ? '' : `danger ${danger}`, unit);

const bandLimit = (limit: BandLimit | undefined): string => words(number(limit?.value), baseOf(limit?.valueType));

const baseOf = (type: BandLimit['valueType'] | undefined): string => {
  if (type === RELATIVE_FULLSCALE) return 'of full scale';
  return type === RELATIVE_OVERALL ? 'of overall' : '';
};

/** The content of the measurement behind `part`; the latest of its kind may be another, where it did not rate the part. */
const ratedBy = <M extends { readonly measurementId: string }>(
  part: Part | undefined,
  measurement: M | undefined,
  show: (measurement: M) => string,
): string =>
  measurement !== undefined && part?.triggeringMeasurement === measurement.measurementId ? show(measurement) : '';

const rowOf = (name: string, part: Shown | undefined, value: string, limits: string): Rows =>
  part === undefined ? [] : [() => alarmRow(name, part, value, limits)];

interface Shown {
  readonly status: Status;
  readonly triggeringMeasurement?: string;
}

const alarmRow = (name: string, { status, triggeringMeasurement = '' }: Shown, value: string, limits: string): Row => [
  name,
  statusNames[status],
  value,
  limits,
  triggeringMeasurement.slice(0, ID_SHOWN),
];

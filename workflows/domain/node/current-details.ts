import * as E from 'fp-ts/Either';
import { worstOf, type HalPart, type Part } from '../alarm/parts';
import { ALERT, statusNames, type Status } from '../alarm/status';
import { examineSpectrum } from '../rating/rate-spectrum';
import { explainHal } from '../rating/vibration/hal/explain-hal';
import type { Node, State } from './state';
import type { Outbox } from './outbox';
import { baseText, type BandLimit } from '../threshold/band';
import { limitNames, type AlarmLimits } from '../threshold/alarm-limits';

/** The node as Markdown for operators. The node itself publishes events up to the id `publishesUpTo`, the API later ones. */
export const describeNode = ({ state, outbox }: Node, publishesUpTo: string = state.sequenceId): string =>
  [
    `## ${statusNames[worstOf(state.parts)]}`,
    '',
    lastChange(state),
    '',
    unpublished(outbox, publishesUpTo),
    ...alarmLines(state),
    ...latestLines(state),
    '',
    '### Threshold',
    '',
    thresholdLine(state),
    '',
    `Node \`${state.nodeId}\``,
  ].join('\n');

const lastChange = ({ updatedAt, setAt }: State): string => {
  if (updatedAt === 0) return 'Never changed';
  return `Last change: ${setAt === updatedAt ? 'threshold set' : 'status updated'} ${instant(updatedAt)}`;
};

const unpublished = ({ waiting, bytes }: Outbox, publishesUpTo: string): string => {
  const [oldest] = waiting;
  if (oldest === undefined) return 'All events are published';
  const own = waiting.filter(({ sequenceId }) => sequenceId <= publishesUpTo).length;
  const events = plural(waiting.length, 'event');
  if (own === 0) return `Left to the API to publish: ${events}`;
  return `Not published: ${events} of ${plural(bytes, 'byte')}, the oldest of ${instant(oldest.timestamp)}`;
};

const thresholdLine = ({ revision, setBy, setAt, reading, threshold: { thresholdType } }: State): string => {
  if (setBy === undefined || setAt === undefined) return 'Never set';
  const type = thresholdType === undefined ? '' : `, type ${thresholdType}`;
  return `Revision ${revision}${type}, regions read as ${reading}, set by ${code(setBy)} ${instant(setAt)}`;
};

const latestLines = ({ latest }: State): ReadonlyArray<string> => {
  const lines = Object.entries(latest).map(
    ([name, { measurementId, createdAt }]) => `- ${name}: ${code(measurementId)} of ${createdAt}`,
  );
  return lines.length === 0 ? [] : ['', '### Latest measurements', '', ...lines];
};

/** Most alarms in the list. Hundreds would be of no use, and the query `alarmStatus` returns all. */
const MOST_LISTED = 20;
/** Characters of a measurement's id that are shown: enough to tell measurements apart. */
const ID_SHOWN = 8;

interface Alarm {
  readonly status: Status;
  readonly text: string;
}

/** Lists alarms, worst first, under a heading per status. It uses plain lists: the UI draws tables and nested lists badly. */
const alarmLines = (state: State): ReadonlyArray<string> => {
  const alarms = [...singleAlarms(state), ...bandAlarms(state), ...halAlarms(state)];
  const listed = alarms.sort((one, other) => other.status - one.status).slice(0, MOST_LISTED);
  const left = alarms.length - listed.length;
  return [
    ...listed.flatMap(({ status, text }, index) => [
      ...(status === listed[index - 1]?.status ? [] : ['', `### ${statusNames[status]}`, '']),
      `- ${text}`,
    ]),
    ...(left > 0 ? [`- and ${plural(left, 'alarm')} more: query \`alarmStatus\``] : []),
  ];
};

const singleAlarms = ({ parts, threshold, latest }: State): ReadonlyArray<Alarm> => {
  const { DATA_POINT: point, QUESTION_ANSWERS: answers, rateOfChange: rate } = latest;
  return [
    ...alarmOf('overall', parts.overall, (part) => [
      ratedBy(part, point, ({ dataPoint: { coordinate, yUnit } }) => words(number(coordinate.y), code(yUnit))),
      limitsOf(threshold.overall),
    ]),
    ...alarmOf('rate of change', parts.rateOfChange, (part) => [
      ratedBy(part, rate, ({ value }) => number(value)),
      limitsOf(threshold.rateOfChange),
    ]),
    ...alarmOf('inspection', parts.inspection, (part) => [
      ratedBy(part, answers, ({ questionAnswers }) => code(questionAnswers.slice(0, MOST_LISTED).join(', '))),
      `one of ${plural(threshold.inspection?.choices.length ?? 0, 'choice')}`,
    ]),
    ...alarmOf('external', parts.external, ({ setBy }) => ['', setBy === undefined ? '' : `set by ${code(setBy)}`]),
  ];
};

const bandAlarms = ({ parts, threshold }: State): ReadonlyArray<Alarm> =>
  (parts.bands ?? []).flatMap((band, index) => {
    const { label, overallAlarmThreshold: limits } = threshold.bandAlarms?.[index] ?? {};
    return alarmOf(words(`band ${index}`, code(label)), band, ({ calculatedOverall: { value, unit } = {} }) => [
      words(number(value), code(unit)),
      upperLimits(bandLimit(limits?.upperAlert), bandLimit(limits?.upperDanger), code(limits?.unit)),
    ]);
  });

const halAlarms = (state: State): ReadonlyArray<Alarm> => {
  const found = halsFound(state);
  return (state.parts.hals ?? []).flatMap((hal, index) => {
    const { label, upperAlert, upperDanger } = state.threshold.halAlarms?.[index] ?? {};
    return alarmOf(words(`HAL ${index}`, code(label)), hal, (part) => [
      ...halFound(part),
      upperLimits(number(upperAlert), number(upperDanger), ''),
    ]).map(({ status, text }) => ({ status, text: [text, ...(found[index] ?? [])].join('; ') }));
  });
};

const halFound = ({ halIndex, faultFrequency, rpmFactor, ...part }: HalPart): ReadonlyArray<string> => {
  if (halIndex === undefined) return [code(part.errorDescription)];
  return [
    words(number(halIndex), 'at', number(faultFrequency), 'Hz'),
    words(number(rpmFactor), 'times the shaft'),
    words(number(part.numberOfHarmonicsUsed), 'harmonics compared'),
  ];
};

/** What each HAL found in the latest spectrum; empty for a HAL that does not alarm or was rated by another spectrum. */
const halsFound = (state: State): ReadonlyArray<ReadonlyArray<string>> => {
  const { latest, parts } = state;
  const { SPECTRUM: spectrum } = latest;
  const alarms = (parts.hals ?? []).map(
    ({ status, triggeringMeasurement: by }) => status >= ALERT && by === spectrum?.measurementId,
  );
  if (spectrum === undefined || !alarms.includes(true)) return [];
  const { hals } = E.getOrElseW(() => ({ hals: [] }))(examineSpectrum(state, spectrum));
  return hals.map((found, index) =>
    alarms[index] === true && E.isRight(found) ? explainHal(found.right).map(plain) : [],
  );
};

/** `text`, which may quote callers, without the characters of Markdown, so that callers cannot format the page. */
const plain = (text: string): string => text.replace(/[^\p{L}\p{N} .,:;()%+-]/gu, ' ');

const limitsOf = (limits: AlarmLimits = {}): string => {
  const given = limitNames.flatMap((name) => (limits[name] === undefined ? [] : [`${name} ${number(limits[name])}`]));
  return given.length === 0 ? '' : words(given.join(', '), code(limits.unit));
};

const upperLimits = (alert: string, danger: string, unit: string): string =>
  alert + danger === ''
    ? ''
    : words(phrases(alert === '' ? '' : `ALERT from ${alert}`, danger === '' ? '' : `DANGER from ${danger}`), unit);

const bandLimit = (limit: BandLimit | undefined): string => words(number(limit?.value), baseText(limit?.valueType));

/** The content of `measurement`, the latest of its type, if the status of `part` comes from it; else an empty text. */
const ratedBy = <M extends { readonly measurementId: string }>(
  part: Part,
  measurement: M | undefined,
  show: (measurement: M) => string,
): string =>
  measurement !== undefined && part.triggeringMeasurement === measurement.measurementId ? show(measurement) : '';

/** Describes the alarm `name`: the texts of `details`, of which the first is the value, then the id of its measurement. */
const alarmOf = <P extends Part>(
  name: string,
  part: P | undefined,
  details: (part: P) => ReadonlyArray<string>,
): ReadonlyArray<Alarm> => {
  if (part === undefined) return [];
  const { status, triggeringMeasurement: by } = part;
  const [value = '', ...others] = details(part);
  const shown = phrases(
    value === '' ? '' : `**${value}**`,
    ...others,
    by === undefined ? '' : `measurement ${code(by.slice(0, ID_SHOWN))}`,
  );
  return [{ status, text: shown === '' ? name : `${name}: ${shown}` }];
};

const LONGEST_TEXT = 60;

/** Callers' text as Markdown code. Backticks, bars and invisible characters become blanks: no text can end the code early. */
const code = (text = ''): string => {
  const shown = Array.from(text.replace(/[`|\s\p{C}]+/gu, ' ')).slice(0, LONGEST_TEXT);
  return text === '' ? '' : `\`${shown.join('')}\``;
};

/** `value` with at most six significant digits; empty if it is undefined. */
const number = (value: number | undefined): string => (value === undefined ? '' : String(Number(value.toPrecision(6))));

const instant = (epochMs: number): string => new Date(epochMs).toISOString();

const plural = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

const phrases = (...texts: ReadonlyArray<string>): string => texts.filter((text) => text !== '').join(', ');

const words = (...texts: ReadonlyArray<string>): string => texts.filter((text) => text !== '').join(' ');

import { isRecord, sizeOf, type Size } from '../codecs';
import { COPIED_BYTES } from '../limits';
import type { Measurement } from '../measurement/measurement';
import { lineCount } from '../measurement/packed-lines';
import type { Rejection } from './commands';
import type { DomainEvent } from './evolve';
import type { State } from './state';

/*
 * How long a node works on a command, estimated in about microseconds of an idle core: at least a quarter of the truth
 * (`test/cost`). Groups and runs are bounded by it, so it reads no clock: a replay has to come to the same
 * (docs/contributing/how-it-works.md, "Runs").
 */

type Amount = Pick<Size, 'values' | 'characters'>;

/** Any command; and each band and HAL, which its event shows. */
export const COMMAND_WORK = 300;
const PART_WORK = 5;

/** Each value and character of a payload, to read it; of a threshold and its HALs, to set it as well; each operation of a patch. */
const VALUE_WORK = 0.3;
const CHARACTER_WORK = 0.01;
const SET_VALUE_WORK = 4;
const HAL_CHARACTER_WORK = 0.15;
const OPERATION_WORK = 20;
/** Each reason of a refusal. */
const REASON_WORK = 2;
const COPIED_BYTE_WORK = 0.1;

/** A line: to take it in, and to rate it; to look for HALs in it, and each HAL that is looked for. */
const LINE_WORK = 0.1;
const HAL_LINE_WORK = 0.5;
const HAL_WORK = 100;

export const GROUP_WORK = 50_000;

/** The work of reading the command `name`, whose payload is of `size`, and of deciding it on `state`, whatever comes of it. */
export const readingWork = (state: State, name: unknown, payload: unknown, size: Size): number => {
  const { threshold, operations } = isRecord(payload) ? payload : {};
  const reading = COMMAND_WORK + readWork(size);
  switch (name) {
    case 'setThreshold':
      return reading + settingWork(size, isRecord(threshold) ? threshold['halAlarms'] : undefined);
    case 'patchThreshold': {
      const kept = sizeOf(state.threshold);
      const whole = { values: size.values + kept.values, characters: size.characters + kept.characters };
      return reading + settingWork(whole, [state.threshold.halAlarms, operations]) + operationsWork(operations, whole);
    }
    case 'republish':
      return reading + readWork(sizeOf(state.threshold));
    default:
      return reading;
  }
};

const readWork = ({ values, characters }: Amount): number => VALUE_WORK * values + CHARACTER_WORK * characters;

/** The work of setting a threshold of `size`, whose HALs have labels and bearings to be read. */
const settingWork = (size: Amount, hals: unknown): number =>
  readWork(size) + SET_VALUE_WORK * size.values + HAL_CHARACTER_WORK * sizeOf(hals).characters;

/** The work of a patch's operations, of which each copy may copy all. */
const operationsWork = (operations: unknown, { values, characters }: Amount): number => {
  if (!Array.isArray(operations)) return 0;
  const copies = operations.filter((operation) => isRecord(operation) && operation['op'] === 'copy').length;
  const copiedBytes = Math.min(COPIED_BYTES, copies * (characters + BYTES_OF_A_VALUE * values));
  return OPERATION_WORK * operations.length + COPIED_BYTE_WORK * copiedBytes;
};

/** Bytes of a value as JSON besides its characters: its marks, and a number's digits. */
const BYTES_OF_A_VALUE = 4;

/** The work of saying why a command was refused. */
export const refusalWork = (rejection: Rejection): number =>
  'reasons' in rejection ? REASON_WORK * rejection.reasons.length : 0;

/** The work of what an accepted command rates and shows; its `events` led from the state `before` to the state `after`. */
export const ratingWork = (before: State, after: State, events: ReadonlyArray<DomainEvent>): number => {
  const { bands = [], hals = [] } = after.parts;
  const [recorded] = events.flatMap((event) => (event._tag === 'MeasurementRecorded' ? [event.measurement] : []));
  // Parts that were not rated are the objects that they were.
  const isRated = after.parts.bands !== before.parts.bands || after.parts.hals !== before.parts.hals;
  const rated = isRated ? linesOf(recorded ?? after.latest.SPECTRUM) : 0;
  const answers = events.some(({ _tag }) => _tag === 'RatedAnew' || _tag === 'ThresholdSet') ? answersOf(after) : 0;
  return (
    VALUE_WORK * answers +
    PART_WORK * (bands.length + hals.length) +
    LINE_WORK * (linesOf(recorded) + rated) +
    (hals.length > 0 ? HAL_LINE_WORK * rated : 0) +
    (rated > 0 ? HAL_WORK * hals.length : 0)
  );
};

const answersOf = ({ threshold, latest }: State): number =>
  threshold.inspection === undefined ? 0 : (latest.QUESTION_ANSWERS?.questionAnswers.length ?? 0);

const linesOf = (measurement: Measurement | undefined): number =>
  measurement?.contentType !== 'SPECTRUM' || measurement.spectrum.lines === undefined
    ? 0
    : lineCount(measurement.spectrum.lines);

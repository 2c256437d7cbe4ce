import { isRecord, sizeOf, type Size } from '../codecs';
import { COPIED_BYTES } from '../limits';
import type { Measurement } from '../measurement/measurement';
import { lineCount } from '../measurement/packed-lines';
import type { NotApplied } from './commands';
import type { DomainEvent } from './evolve';
import type { State } from './state';

/*
 * Estimates how long a node works on a command, in about microseconds of an idle core. The estimate is at least a quarter of
 * the true time (`test/cost`). It bounds groups and runs. It reads no clock, because a replay must come to the same result
 * (docs/contributing/how-it-works.md, "Runs").
 */

type Amount = Pick<Size, 'values' | 'characters'>;

/** Work of any command; and more for each band and HAL of its node, because the command's event shows all of them. */
export const COMMAND_WORK = 300;
const PART_WORK = 5;

/** Work for each value and character read, each value of a new threshold, each character of its HALs, each patch operation. */
const VALUE_WORK = 0.3;
const CHARACTER_WORK = 0.01;
const SET_VALUE_WORK = 4;
const HAL_CHARACTER_WORK = 0.25;
const OPERATION_WORK = 20;
/** Work for each reason of a refusal, and for each byte that a patch copies. */
const REASON_WORK = 2;
const COPIED_BYTE_WORK = 0.1;

/** Work for each spectral line received or rated, in addition for each line searched for HALs, and for each HAL sought. */
const LINE_WORK = 0.1;
const HAL_LINE_WORK = 0.5;
const HAL_WORK = 100;

export const GROUP_WORK = 50_000;

/** The work of reading the command `name` and deciding on it, accepted or not. `size` is the size of its payload. */
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

/** The work of setting a threshold of `size`, including reading the labels and bearings of its HALs. */
const settingWork = (size: Amount, hals: unknown): number =>
  readWork(size) + SET_VALUE_WORK * size.values + HAL_CHARACTER_WORK * sizeOf(hals).characters;

/** The work of a patch's operations. Each `copy` may copy the whole document. */
const operationsWork = (operations: unknown, { values, characters }: Amount): number => {
  if (!Array.isArray(operations)) return 0;
  const copies = operations.filter((operation) => isRecord(operation) && operation['op'] === 'copy').length;
  const copiedBytes = Math.min(COPIED_BYTES, copies * (characters + BYTES_OF_A_VALUE * values));
  return OPERATION_WORK * operations.length + COPIED_BYTE_WORK * copiedBytes;
};

/** JSON bytes of a value besides its characters: punctuation, and the digits of a number. */
const BYTES_OF_A_VALUE = 4;

export const refusalWork = (rejection: NotApplied): number =>
  'reasons' in rejection ? REASON_WORK * rejection.reasons.length : 0;

/** The work of rating and showing parts for an accepted command, whose `events` led from the state `before` to `after`. */
export const ratingWork = (before: State, after: State, events: ReadonlyArray<DomainEvent>): number => {
  const { bands = [], hals = [] } = after.parts;
  const [recorded] = events.flatMap((event) => (event._tag === 'MeasurementRecorded' ? [event.measurement] : []));
  const lines = linesOf(recorded ?? after.latest.SPECTRUM);
  // Bands and HALs that were not rated again are still the same objects.
  const ratedBy = (part: 'bands' | 'hals'): number => (after.parts[part] === before.parts[part] ? 0 : lines);
  const answers = events.some(({ _tag }) => _tag === 'RatedAnew' || _tag === 'ThresholdSet') ? answersOf(after) : 0;
  return (
    VALUE_WORK * answers +
    PART_WORK * (bands.length + hals.length) +
    LINE_WORK * (linesOf(recorded) + Math.max(ratedBy('bands'), ratedBy('hals'))) +
    (hals.length > 0 ? HAL_LINE_WORK * ratedBy('hals') : 0) +
    (ratedBy('hals') > 0 ? HAL_WORK * hals.length : 0)
  );
};

const answersOf = ({ threshold, latest }: State): number =>
  threshold.inspection === undefined ? 0 : (latest.QUESTION_ANSWERS?.questionAnswers.length ?? 0);

const linesOf = (measurement: Measurement | undefined): number =>
  measurement?.contentType !== 'SPECTRUM' || measurement.spectrum.lines === undefined
    ? 0
    : lineCount(measurement.spectrum.lines);

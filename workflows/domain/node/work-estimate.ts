import type { Measurement } from '../measurement/measurement';
import { lineCount } from '../measurement/packed-lines';
import type { DomainEvent } from './evolve';
import type { State } from './state';

/*
 * How long a node works on a command, estimated in about microseconds of an idle core. Groups and runs are bounded by it, so it
 * reads no clock: a replay has to come to the same (docs/contributing/how-it-works.md, "Runs").
 */

/** Any command, a refused one too; and each band and HAL, which its event shows. */
export const COMMAND_WORK = 300;
const PART_WORK = 5;
/** A line: to take it in, and to rate it. */
const LINE_WORK = 0.1;
/** A HAL that is rated, and each line in which it is looked for. */
const HAL_WORK = 20;
const HAL_LINE_WORK = 0.005;

export const GROUP_WORK = 50_000;

/** The work of one command, whose `events` led from the state `before` to the state `after`. */
export const workOf = (before: State, after: State, events: ReadonlyArray<DomainEvent>): number => {
  const { bands = [], hals = [] } = after.parts;
  const [recorded] = events.flatMap((event) => (event._tag === 'MeasurementRecorded' ? [event.measurement] : []));
  // Parts that were not rated are the objects that they were.
  const isRated = after.parts.bands !== before.parts.bands || after.parts.hals !== before.parts.hals;
  const rated = isRated ? linesOf(recorded ?? after.latest.SPECTRUM) : 0;
  return (
    COMMAND_WORK +
    PART_WORK * (bands.length + hals.length) +
    LINE_WORK * (linesOf(recorded) + rated) +
    (rated > 0 ? hals.length * (HAL_WORK + HAL_LINE_WORK * rated) : 0)
  );
};

const linesOf = (measurement: Measurement | undefined): number =>
  measurement?.contentType !== 'SPECTRUM' || measurement.spectrum.lines === undefined
    ? 0
    : lineCount(measurement.spectrum.lines);

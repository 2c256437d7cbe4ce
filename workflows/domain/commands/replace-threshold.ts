import * as E from 'fp-ts/Either';
import { array, oneOf } from '../codecs';
import { hardLimits } from '../limits';
import type { State } from '../node/state';
import { overallReadings, type OverallReading } from '../rating/overall-regions';
import { SoughtBearing } from '../rating/vibration/bearings/resolved-bearing';
import { isResolved } from '../rating/vibration/bearings/seek-bearings';
import { holds, precondition, type Precondition } from '../threshold/precondition';
import type { Origin, Threshold } from '../threshold/threshold';
import { optional, type Sent } from './command';
import type { DomainEvent } from './domain-event';
import { rateAnew } from './rate-anew';
import type { Rejection } from './rejections';
import { attributionOf, updateStatus } from './update-status';

/** What the payload of a command that sets a threshold may hold. */
export const ofSetting = {
  ...optional,
  ...precondition,
  reading: oneOf('reading of overall regions', overallReadings),
  bearings: array(SoughtBearing, hardLimits.hals),
};

interface Setting extends Sent, Precondition {
  /** The reading of overall regions that is in force; absent: the node keeps the one that it has. */
  readonly reading?: OverallReading;
  /** The bearings that the threshold names, as far as they were looked for; absent: what was found before, and the built-in ones. */
  readonly bearings?: ReadonlyArray<SoughtBearing>;
}

/** Nothing, where the caller's precondition holds. */
export const atRevision = ({ revision: at }: State, setting: Setting): E.Either<Rejection, void> =>
  holds(setting, at) ? E.right(undefined) : E.left({ _tag: 'PreconditionFailed', revision: at });

/** Sets `threshold`, and rates all of its parts by the newest measurements. */
export const replaceThreshold = (
  state: State,
  threshold: Threshold,
  setting: Setting,
  origin?: Origin,
): ReadonlyArray<DomainEvent> => {
  const reading = setting.reading ?? state.reading;
  const bearings = setting.bearings === undefined ? state.bearings : setting.bearings.filter(isResolved);
  return [
    {
      _tag: 'ThresholdSet',
      threshold,
      reading,
      bearings,
      ...(origin !== undefined && { origin }),
      ...attributionOf(state, setting),
    },
    ...updateStatus(state, rateAnew(state, { threshold, reading, bearings }), setting),
  ];
};

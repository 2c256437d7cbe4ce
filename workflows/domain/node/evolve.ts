import { takenAt, type Latest, type Measurement } from '../measurement/measurement';
import { rememberGroup, rememberWrite, type KeyedWrite, type KnownGroup } from './idempotency';
import type { State } from './state';
import type { Parts } from '../alarm/parts';
import type { OverallReading } from '../rating/overall-regions';
import type { Origin, Threshold } from '../threshold/threshold';
import type { ResolvedBearing } from '../rating/vibration/bearings/resolved-bearing';

/** The state after `event`. Total: it never refuses, rates nothing, reads no clock. */
export const evolve = (state: State, event: DomainEvent): State => {
  switch (event._tag) {
    case 'ThresholdSet': {
      const { threshold, reading, bearings, userId, updatedAt } = event;
      return {
        ...state,
        threshold,
        reading,
        bearings,
        revision: state.revision + 1,
        applied: state.newest,
        setBy: userId,
        setAt: updatedAt,
        updatedAt,
      };
    }
    case 'MeasurementRecorded':
      return record(state, event);
    case 'RatedAnew':
      return { ...state, applied: state.newest };
    case 'Republished':
      return state;
    case 'StatusUpdated':
      return { ...state, parts: event.parts, updatedAt: event.updatedAt };
    case 'WriteKeyed':
      return { ...state, writes: rememberWrite(state.writes, { ...event.write, revision: state.revision }) };
    case 'GroupTaken':
      return { ...state, groups: rememberGroup(state.groups, event.group) };
  }
};

const record = (state: State, { measurement, digest, arrivedAt }: MeasurementRecorded): State => {
  const { measurementId, createdAt, contentType, rateOfChange } = measurement;
  const { latest, newest } = state;
  const rated = { measurementId, digest, arrivedAt };
  /** The newest is kept; on a tie the later arrival. */
  const isNotOlder = (kind: keyof Latest): boolean => {
    const kept = latest[kind];
    return kept === undefined || takenAt(createdAt, arrivedAt) >= takenAt(kept.createdAt, newest[kind]?.arrivedAt);
  };
  const isNewest = isNotOlder(contentType);
  const isNewestRate = rateOfChange !== undefined && isNotOlder('rateOfChange');
  return {
    ...state,
    latest: {
      ...latest,
      ...(isNewest && { [contentType]: measurement }),
      ...(isNewestRate && { rateOfChange: { measurementId, createdAt, value: rateOfChange } }),
    },
    newest: {
      ...newest,
      ...(isNewest && { [contentType]: rated }),
      ...(isNewestRate && { rateOfChange: rated }),
    },
    applied: {
      ...state.applied,
      [contentType]: rated,
      ...(rateOfChange !== undefined && { rateOfChange: rated }),
    },
  };
};

/** The user and the call that caused an event, and its time. */
export interface Attribution {
  readonly userId: string;
  /** The request id of the call, where there was one. */
  readonly requestId?: string;
  /** Epoch ms; it never goes back within a node. */
  readonly updatedAt: number;
}

export interface MeasurementRecorded {
  readonly _tag: 'MeasurementRecorded';
  readonly measurement: Measurement;
  readonly digest: string;
  /** Epoch ms; it never goes back within a node. */
  readonly arrivedAt: number;
}

/**
 * What was committed to a node. `ThresholdSet` and `StatusUpdated` are published, `Republished` publishes both again; the
 * others are the node's own: `RatedAnew` records that the newest measurements rated all parts again.
 */
export type DomainEvent =
  | (Attribution & {
      readonly _tag: 'ThresholdSet';
      readonly threshold: Threshold;
      readonly reading: OverallReading;
      readonly bearings: ReadonlyArray<ResolvedBearing>;
      readonly origin?: Origin;
    })
  | MeasurementRecorded
  | (Attribution & { readonly _tag: 'StatusUpdated'; readonly parts: Parts; readonly alarmsChanged: boolean })
  | { readonly _tag: 'RatedAnew' }
  | (Attribution & { readonly _tag: 'Republished' })
  | { readonly _tag: 'WriteKeyed'; readonly write: Omit<KeyedWrite, 'revision'> }
  | { readonly _tag: 'GroupTaken'; readonly group: KnownGroup };

import { takenAt } from '../measurement/arrival';
import type { Latest } from '../measurement/latest';
import type { DomainEvent, MeasurementRecorded } from '../commands/domain-event';
import { rememberGroup, rememberWrite } from './idempotency';
import type { State } from './state';

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

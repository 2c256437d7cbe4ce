import { epochNanosOf } from '../codecs';
import type { Measurement } from '../measurement/measurement';
import type { DomainEvent } from '../commands/domain-event';
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
      return record(state, event.measurement, event.digest);
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

const record = (state: State, measurement: Measurement, digest: string): State => {
  const { measurementId, createdAt, contentType, rateOfChange } = measurement;
  const { latest } = state;
  const rated = { measurementId, digest };
  const isNewest = notOlder(createdAt, latest[contentType]);
  const isNewestRate = rateOfChange !== undefined && notOlder(createdAt, latest.rateOfChange);
  return {
    ...state,
    latest: {
      ...latest,
      ...(isNewest && { [contentType]: measurement }),
      ...(isNewestRate && { rateOfChange: { measurementId, createdAt, value: rateOfChange } }),
    },
    newest: {
      ...state.newest,
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

/** The newest is kept; on a tie the later arrival. */
const notOlder = (createdAt: string, kept: { readonly createdAt: string } | undefined): boolean =>
  kept === undefined || epochNanosOf(createdAt) >= epochNanosOf(kept.createdAt);

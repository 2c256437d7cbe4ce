import { REMEMBERED_REQUESTS } from '../limits';
import type { Measurement } from '../measurement/measurement';
import type { Latest } from '../rating/rate';
import type { DomainEvent } from './domain-event';
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
        setBy: userId,
        setAt: updatedAt,
        updatedAt,
      };
    }
    case 'MeasurementRecorded': {
      const { measurement, digest } = event;
      const { measurementId, contentType } = measurement;
      return {
        ...state,
        latest: withMeasurement(state.latest, measurement),
        applied: { ...state.applied, [contentType]: { measurementId, digest } },
      };
    }
    case 'StatusUpdated':
      return { ...state, parts: event.parts, updatedAt: event.updatedAt };
    case 'RequestRemembered':
      return { ...state, remembered: [...state.remembered, event.request].slice(-REMEMBERED_REQUESTS) };
  }
};

const withMeasurement = (latest: Latest, measurement: Measurement): Latest => {
  const { measurementId, createdAt, contentType, rateOfChange } = measurement;
  return {
    ...latest,
    ...(notOlder(createdAt, latest[contentType]) && { [contentType]: measurement }),
    ...(rateOfChange !== undefined &&
      notOlder(createdAt, latest.rateOfChange) && { rateOfChange: { measurementId, createdAt, value: rateOfChange } }),
  };
};

/** The newest is kept; on a tie the later arrival. */
const notOlder = (createdAt: string, kept: { readonly createdAt: string } | undefined): boolean =>
  kept === undefined || instantOf(createdAt) >= instantOf(kept.createdAt);

const instantOf = (dateTime: string): number => Date.parse(dateTime.toUpperCase());

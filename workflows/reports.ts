import * as wf from '@temporalio/workflow';
import type { DomainEvent } from './domain/node/domain-event';
import type { Node } from './domain/node/node';
import { unitMismatches } from './domain/rating/unit-mismatches';
import type { Rejection } from './domain/rejections';

const refusedSignals = wf.metricMeter.createCounter(
  'point_alarm_refused_signals',
  'signal',
  'Signals that a node refused',
);
const unitMismatchCount = wf.metricMeter.createCounter(
  'point_alarm_unit_mismatches',
  'measurement',
  'Measurements rated in another unit than the threshold names',
);

/** A signal has nobody to answer: its refusal is logged and counted. */
export const reportRefusal =
  (command: string) =>
  (rejection: Rejection): void => {
    if (rejection._tag === 'Unchanged') return;
    refusedSignals.add(1, { command, rejection: rejection._tag });
    wf.log.warn('a signal was refused', { command, rejection });
  };

/** Logs and counts measurements whose unit differs from the threshold's; they are rated all the same. */
export const reportUnits = ({ state }: Node, events: ReadonlyArray<DomainEvent>): void => {
  for (const event of events) {
    if (event._tag !== 'MeasurementRecorded') continue;
    const mismatches = unitMismatches(state.threshold, event.measurement);
    if (mismatches.length === 0) continue;
    unitMismatchCount.add(1);
    wf.log.warn('the unit of a measurement differs from the threshold', { nodeId: state.nodeId, mismatches });
  }
};

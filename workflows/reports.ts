import * as wf from '@temporalio/workflow';
import { traceContextOf } from './domain/commands/cause';
import type { Considered } from './domain/commands/commands';
import type { MeasurementRecorded } from './domain/node/evolve';
import type { Accepted, Node } from './domain/node/node';
import { enqueuedAfter } from './domain/node/outbox';
import { clockAhead } from './domain/measurement/measurement';
import { unitMismatches } from './domain/rating/rate';
import type { Rejection } from './domain/commands/rejections';
import { nodeCounters, type NodeCounter } from './node-counters';

const counting = ({ name, unit, help }: NodeCounter) => wf.metricMeter.createCounter(name, unit, help);
const refusedSignals = counting(nodeCounters.refusedSignals);
const unitMismatchCount = counting(nodeCounters.unitMismatches);
const clocksAhead = counting(nodeCounters.clocksAhead);
const committedEvents = counting(nodeCounters.committedEvents);

/** A signal has no answer: its refusal is logged and counted. Its reasons are left out: they would quote the payload, which the history has. */
export const reportRefusal =
  (command: string) =>
  (rejection: Rejection): void => {
    if (rejection._tag === 'Unchanged') return;
    refusedSignals.add(1, { command, rejection: rejection._tag });
    const faults = 'reasons' in rejection ? { faults: rejection.reasons.length } : {};
    wf.log.warn('a signal was refused', { command, rejection: rejection._tag, ...faults });
  };

/** A signal of a name that no node knows. The name is left out of the metric: anybody may invent one. */
export const reportUnknown = (name: string): void => {
  refusedSignals.add(1, { command: 'unknown', rejection: 'Unknown' });
  wf.log.warn('a signal of an unknown name', { name: name.slice(0, 64) });
};

/** A signal that a node could not even refuse. */
export const reportDefect = (command: string, defect: unknown): void => {
  refusedSignals.add(1, { command, rejection: 'Defect' });
  wf.log.error('a signal could not be read', { command, defect: String(defect) });
};

/**
 * Logs the commands that were carried out on `before`, counts their events, and reports odd measurements.
 *
 * One record for all commands, of which the worker makes a line each (`worker/sdk-metrics.ts`), and one count a type: each call
 * out of the sandbox takes a copy of all that the SDK knows of the workflow along.
 */
export const reportCommit = (before: Node, { node, commands, events }: Accepted): void => {
  if (commands.length > 0) wf.log.info('command', { commands: commands.map((command) => lineOf(node, command)) });
  // By their ids, not by their number: the same commit may have dropped events that the stream is known to have.
  const types = enqueuedAfter(node.outbox, before.state.sequenceId).map(({ type }) => type);
  for (const type of new Set(types)) committedEvents.add(types.filter((one) => one === type).length, { type });
  for (const event of events) if (event._tag === 'MeasurementRecorded') reportOddities(node, event);
};

/** Ids, never contents. */
const lineOf = ({ state: { nodeId } }: Node, { name, userId, cause }: Considered): Record<string, unknown> => {
  const trace = cause?.traceparent === undefined ? undefined : traceContextOf(cause.traceparent);
  return {
    nodeId,
    command: name,
    userId,
    ...(cause?.requestId !== undefined && { requestId: cause.requestId }),
    ...(trace !== undefined && { traceId: trace.traceId, spanId: trace.spanId }),
  };
};

/** A measurement in another unit than the threshold's, or dated after its arrival, is rated all the same. */
const reportOddities = (
  { state: { nodeId, threshold } }: Node,
  { measurement, arrivedAt }: MeasurementRecorded,
): void => {
  const mismatches = unitMismatches(threshold, measurement);
  if (mismatches.length > 0) {
    unitMismatchCount.add(1);
    wf.log.warn('the unit of a measurement differs from the threshold', { nodeId, mismatches });
  }
  const { measurementId, createdAt } = measurement;
  const aheadMs = clockAhead(createdAt, arrivedAt);
  if (aheadMs !== undefined) {
    clocksAhead.add(1);
    wf.log.warn('a measurement is dated after its arrival', { nodeId, measurementId, aheadMs });
  }
};

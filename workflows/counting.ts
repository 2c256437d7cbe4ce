import * as wf from '@temporalio/workflow';
import { nodeCounters } from './node-counters';

/** The counter of that name, of the worker that runs the node. */
export const counting = (counter: keyof typeof nodeCounters) => {
  const { name, unit, help } = nodeCounters[counter];
  return wf.metricMeter.createCounter(name, unit, help);
};

import * as wf from '@temporalio/workflow';
import { nodeCounters } from './node-counters';

/** Creates a counter of `node-counters.ts`. The worker that runs the node keeps the count. */
export const createNodeCounter = (counter: keyof typeof nodeCounters) => {
  const { name, unit, help } = nodeCounters[counter];
  return wf.metricMeter.createCounter(name, unit, help);
};

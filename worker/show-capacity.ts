import { Gauge, type Registry } from 'prom-client';
import type { WorkerSettings } from '../process/settings';

/** Shows what this worker is set to hold, to be compared with what it holds (`temporal_sticky_cache_size`). */
export const showCapacity = ({ cachedWorkflows }: WorkerSettings['capacity'], registry: Registry): void => {
  new Gauge({
    name: 'point_alarm_cache_capacity_nodes',
    help: 'Nodes that this worker may keep in memory.',
    registers: [registry],
  }).set(cachedWorkflows);
};

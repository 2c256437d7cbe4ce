import { collectDefaultMetrics, Counter, Registry } from 'prom-client';

/** A registry of its own with the runtime's default metrics (memory, CPU, event loop), labelled by the process's name. */
export const createMetrics = ({ process }: { readonly process: string }): Registry => {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  collectDefaultMetrics({ register: registry });
  return registry;
};

/** Counts the connections that were made to Redis; every one after the first followed a loss. */
export const countConnections = (registry: Registry): (() => void) => {
  const connections = new Counter({
    name: 'point_alarm_redis_connections_total',
    help: 'Connections made to Redis; every one after the first followed a loss.',
    registers: [registry],
  });
  return () => {
    connections.inc();
  };
};

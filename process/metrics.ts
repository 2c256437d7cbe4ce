import { collectDefaultMetrics, Registry } from 'prom-client';

/** A registry of its own with the runtime's default metrics (memory, CPU, event loop), labelled by the process's name. */
export const createMetrics = ({ process }: { readonly process: string }): Registry => {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  collectDefaultMetrics({ register: registry });
  return registry;
};

import { onPath } from '../../scripts/stack/run-command';

/** `promtool` or `prometheus` on PATH. Errors: one that says how to get it; nothing here is tested without. */
export const prometheusCommand = (name: 'promtool' | 'prometheus'): string => {
  const found = onPath(name, process.env);
  if (found === undefined) {
    throw new Error(
      `there is no ${name} on PATH: install Prometheus 2.42 or newer, on Debian apt-get install prometheus`,
    );
  }
  return found;
};

import { dirname, join } from 'node:path';
import { setting } from '../../../stack/environment';
import { onPath } from '../../../stack/run-command';

/** `promtool` or `prometheus`, which lie together: where `npm test` found them, or on PATH. Errors: one that says how to get them. */
export const prometheusCommand = (name: 'promtool' | 'prometheus'): string => {
  const prometheus = setting(process.env, 'POINT_ALARM_PROMETHEUS') ?? onPath('prometheus', process.env);
  if (prometheus === undefined)
    throw new Error('there is no prometheus on PATH: install 2.42 or newer, on Debian apt-get install prometheus');
  return join(dirname(prometheus), name);
};

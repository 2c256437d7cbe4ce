import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setting, onPath } from '../../../dev/stack/environment';
import { projectRoot } from '../../../dev/stack/project-root';

export const alertsFile = join(projectRoot, 'deploy/prometheus/alerts.yml');
export const dashboardFile = join(projectRoot, 'deploy/grafana/point-alarm-service.json');

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: ReadonlyArray<{ readonly expr: string }>;
}

export const panels = (): ReadonlyArray<Panel> =>
  (JSON.parse(readFileSync(dashboardFile, 'utf8')) as { readonly panels: ReadonlyArray<Panel> }).panels;

/** The expressions of the dashboard; its own variable of time is given a value. */
export const dashboardExpressions = (): ReadonlyArray<string> =>
  panels().flatMap(({ targets = [] }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m')));

/** The names of the metrics of ours, of the SDK and of the runtime in a text. */
export const metricsIn = (text: string): ReadonlyArray<string> => [
  ...new Set(text.match(/\b(?:point_alarm|temporal|process|nodejs)_\w+/gu) ?? []),
];

/** The names that docs/metrics.md explains, with those of their series. */
export const documentedMetrics = (): ReadonlySet<string> => {
  const document = readFileSync(join(projectRoot, 'docs/metrics.md'), 'utf8');
  const rows = [...document.matchAll(/^\| `(\w+)` \| (?:\w+ \| )?(counter|gauge|histogram) \|/gmu)];
  return new Set(
    rows.flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
};

/** `promtool` or `prometheus`, which lie together: where `npm test` found them, or on PATH. Errors: one that says how to get them. */
export const prometheusCommand = (name: 'promtool' | 'prometheus'): string => {
  const prometheus = setting(process.env, 'POINT_ALARM_PROMETHEUS') ?? onPath('prometheus', process.env);
  if (prometheus === undefined)
    throw new Error('there is no prometheus on PATH: install 2.42 or newer, on Debian apt-get install prometheus');
  return join(dirname(prometheus), name);
};

import { metrics, type Metric } from '../../process/metrics';
import { nodeCounters } from '../../workflows/node-counters';
import { generate } from './generated-document';

/** docs/metrics.md: the metrics of the service, between its two markers. Those of consumers are in docs/events.md. */
const MARKER = '<!-- service -->';

const ofNodes = Object.values(nodeCounters).map(({ name, labels, help }): readonly [string, Metric] => [
  `${name}_total`,
  { in: 'worker', type: 'counter', labels, help },
]);

const rows = [...Object.entries<Metric>(metrics), ...ofNodes]
  .filter(([, metric]) => metric.in !== 'consumer')
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, { in: where, type, labels = [], help }]) => {
    const names = [...labels].sort().map((label) => `\`${label}\``);
    return `| \`${name}\` | ${where} | ${type} | ${names.join(', ')} | ${help} |`;
  });

const table = ['| Metric | In | Type | Labels | Meaning |', '|---|---|---|---|---|', ...rows].join('\n');

const withTable = (page: string): string => {
  const pieces = page.split(MARKER);
  if (pieces.length !== 3) throw new Error(`docs/metrics.md must hold the marker ${MARKER} twice`);
  return [pieces[0], `\n${table}\n`, pieces[2]].join(MARKER);
};

void generate('stack/commands/metrics-docs.ts', [{ path: 'docs/metrics.md', text: withTable }]);

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { testPort } from '../../stack/free-ports';
import { projectRoot } from '../../stack/project-root';
import { boardPanels, boardPicture, type Panel, type Series } from '../board';

/** How many seconds of the past are drawn, and over how many seconds a rate is computed. */
const [SHOWN, RATE] = [60, 5];
const NOTE =
  "Drawn from the dashboard's file with the metrics of one minute, in which Redis stood still for 15 seconds; not a screenshot of Grafana.";

/** Starts the Prometheus at `command`, which scrapes an API and a worker from now on. `draw` draws what it has scraped. */
export const watchBoard = (command: string, folder: string, api: string, worker: string) => {
  const job = (name: string, url: string): string =>
    `  - { job_name: ${name}, static_configs: [{ targets: ['${new URL(url).host}'] }] }\n`;
  const jobs = job('point-alarm-api', api) + job('point-alarm-worker', worker);
  writeFileSync(join(folder, 'board.yml'), `global: { scrape_interval: 1s }\nscrape_configs:\n${jobs}`);
  const listen = `127.0.0.1:${testPort()}`;
  const data = join(folder, 'prometheus');
  const prometheus = spawn(
    command,
    [
      `--config.file=${join(folder, 'board.yml')}`,
      `--storage.tsdb.path=${data}`,
      `--web.listen-address=${listen}`,
      '--log.level=error',
    ],
    { stdio: 'inherit' },
  );
  const draw = async (): Promise<void> => {
    await sleep(2_000);
    const end = Math.floor(Date.now() / 1_000) - 1;
    const panels = boardPanels();
    const series = new Map<Panel, ReadonlyArray<Series>>();
    for (const panel of panels) {
      const found = await Promise.all((panel.targets ?? []).map((target) => seriesOf(`http://${listen}`, end, target)));
      series.set(panel, found.flat());
    }
    const picture = boardPicture(NOTE, panels, (panel) => series.get(panel) ?? []);
    writeFileSync(join(projectRoot, 'docs/images/dashboard.svg'), picture);
  };
  const stop = async (): Promise<void> => {
    prometheus.kill();
    await once(prometheus, 'exit');
  };
  return { draw, stop };
};

interface Found {
  readonly data: {
    readonly result: ReadonlyArray<{
      readonly metric: Readonly<Record<string, string>>;
      readonly values: ReadonlyArray<readonly [number, string]>;
    }>;
  };
}

const seriesOf = async (
  prometheus: string,
  end: number,
  { expr, legendFormat }: { readonly expr: string; readonly legendFormat: string },
): Promise<ReadonlyArray<Series>> => {
  const query = expr.replaceAll('$__rate_interval', `${RATE}s`);
  const range = new URLSearchParams({ query, start: String(end - SHOWN), end: String(end), step: '1' });
  const answer = await fetch(`${prometheus}/api/v1/query_range?${range.toString()}`);
  if (!answer.ok) throw new Error(`${query}: ${answer.status} ${await answer.text()}`);
  const { data } = (await answer.json()) as Found;
  return data.result.map(({ metric, values }) => {
    const bySecond = new Map(values.map(([second, value]) => [second, Number(value)]));
    return {
      name: legendFormat.replaceAll(/\{\{(\w+)\}\}/gu, (_, label: string) => metric[label] ?? ''),
      values: Array.from({ length: SHOWN + 1 }, (_, at) => {
        const value = bySecond.get(end - SHOWN + at);
        return value !== undefined && Number.isFinite(value) ? value : undefined;
      }),
    };
  });
};

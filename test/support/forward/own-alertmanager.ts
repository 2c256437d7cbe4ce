import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../dev/stack/free-ports';
import { onPath } from '../../../dev/stack/environment';
import { startRunning, type Running } from '../../../dev/stack/running';
import { openGround } from '../ground';
import { startAnsweringServer } from '../answering-server';

/** An alert as Alertmanager tells its receivers. */
export interface ReceivedAlert {
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
}

/** A notification that came to the webhook, and when (ms of the process). */
export type Notification = { readonly at: number; readonly alerts: ReadonlyArray<ReceivedAlert> };

/** An Alertmanager of a test, with a webhook that keeps what it is told. */
export interface OwnAlertmanager extends Omit<Running, 'stop'> {
  readonly notifications: ReadonlyArray<Notification>;
  /** The alerts that it holds now. */
  readonly active: () => Promise<ReadonlyArray<Pick<ReceivedAlert, 'labels' | 'annotations'>>>;
  readonly stop: () => Promise<void>;
}

/** Starts one that tells the alerts of a node together, `groupWait` after the first and then each `groupInterval`. */
export const startOwnAlertmanager = (groupWait: string, groupInterval: string): Promise<OwnAlertmanager> =>
  startAlertmanagerBy((webhook) =>
    [
      'route: {receiver: test, group_by: [node], repeat_interval: 12h,',
      `        group_wait: ${groupWait}, group_interval: ${groupInterval}}`,
      'receivers:',
      '  - name: test',
      `    webhook_configs: [{url: "${webhook}", send_resolved: true}]`,
    ].join('\n'),
  );

/** Starts one by a configuration that tells all to the webhook at an address. */
export const startAlertmanagerBy = async (configuration: (webhook: string) => string): Promise<OwnAlertmanager> => {
  const command = onPath('prometheus-alertmanager', process.env) ?? onPath('alertmanager', process.env);
  if (command === undefined)
    throw new Error('there is no alertmanager: on Debian apt-get install prometheus-alertmanager');
  const notifications: Notification[] = [];
  const webhook = await startAnsweringServer((_request, response, body) => {
    const { alerts } = JSON.parse(body.toString()) as { readonly alerts: ReadonlyArray<ReceivedAlert> };
    notifications.push({ at: performance.now(), alerts });
    response.end();
  });
  const ground = openGround('alertmanager');
  const { folder } = ground;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  writeFileSync(join(folder, 'alertmanager.yml'), configuration(`${webhook.url}/`));
  const args = [
    `--config.file=${folder}/alertmanager.yml`,
    `--storage.path=${folder}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--cluster.listen-address=',
  ];
  const probe = async (): Promise<void> => {
    const { ok } = await fetch(`${url}/-/ready`);
    if (!ok) throw new Error('not ready');
  };
  const log = join(folder, 'alertmanager.log');
  const plan = { name: 'Alertmanager', command, args, folder, env: process.env, log, url, probe };
  const running = await startRunning(plan, ground);
  await running.ready();
  return {
    ...running,
    notifications,
    active: async () =>
      (await fetch(`${url}/api/v2/alerts?active=true`)).json() as ReturnType<OwnAlertmanager['active']>,
    stop: async () => {
      await running.kill();
      await webhook.close();
      await ground.close();
    },
  };
};

import { InvalidArgumentError, Option, type Command } from 'commander';
import { Registry } from 'prom-client';
import { pause } from '../../process/backoff';
import { hierarchyFile, type NodeTree } from '../../process/files/hierarchy-file';
import { createLog } from '../../process/log';
import { counter } from '../../process/metrics';
import { servePages } from '../../process/page-server';
import { reasonOf } from '../../process/reason-of';
import { connectRedis } from '../../stream/connection';
import { consumeEvents, type Handle } from '../../stream/consumer';
import { isKeyPart, keepOf } from '../../stream/consumer/handle-entry';
import { repeatable, time, whole } from '../arguments';
import { exitCodes, printable, unusable, type ExitCode } from '../failure';
import { openRedis } from '../follow-stream';
import { handleEvent } from '../forward/alertmanager/alarms';
import { foldedTypes, hierarchyLabels, type AboutNode } from '../forward/alertmanager/alert';
import { alertmanagerAt, checkAlertmanagers, sendToAll } from '../forward/alertmanager/alertmanager';
import { deliver } from '../forward/alertmanager/deliver';
import { openAlarmJournal } from '../forward/postgres/journal';
import { readConfiguration } from '../input';
import { every } from '../long-work';
import type { Act, Surroundings } from '../surroundings';

export const addForward = (program: Command, act: Act): void => {
  const forward = program
    .command('forward')
    .description('carry the events of the stream on to another system')
    .addHelpText('after', EXAMPLES);
  withCommonOptions(
    forward
      .command('alertmanager')
      .description('send alarms to a Prometheus Alertmanager, which notifies people, as long as they last')
      .requiredOption('--url <url>', 'http://host:9093; repeat it for each member of a cluster', alertmanagerUrls)
      .option('--hierarchy <file>', 'the hierarchy of nodes, whose names become labels')
      .option('--link <template>', 'the address of the page of {node}', LINK)
      .addOption(
        new Option('--resend <time>', 'how often alarms that last are sent again')
          .argParser(time)
          .default(60_000, '1m'),
      ),
    'point-alarm-alerts',
    'http://127.0.0.1:9093',
  ).action(act(forwardToAlertmanager));
  withCommonOptions(
    forward
      .command('postgres')
      .description('keep an alarm journal in PostgreSQL: each status change of each part once, and each threshold')
      .requiredOption('--url <url>', 'postgres://user:password@host:port/database', postgresUrl),
    'point-alarm-journal',
    'postgres://journal@127.0.0.1:5432/plant',
  ).action(act(forwardToPostgres));
};

const EXAMPLES = `
Examples:
  $ pas forward alertmanager --url http://127.0.0.1:9093
  $ pas forward postgres --url postgres://journal@127.0.0.1:5432/plant`;

const withCommonOptions = (command: Command, group: string, exampleUrl: string): Command =>
  command
    .addOption(
      new Option('--group <name>', 'the consumer group; processes of one group share the events')
        .argParser(groupName)
        .default(group),
    )
    .addOption(
      new Option('--claim-after <time>', 'take over events of a process that is silent for so long')
        .argParser(time)
        .default(30_000, '30s'),
    )
    .option('--metrics-port <port>', 'serve /metrics and /healthz there', whole(1, 65_535))
    .option('--catch-up', 'end once all events are handled', false)
    .addHelpText('after', `\nExample:\n  $ pas forward ${command.name()} --url ${exampleUrl} --catch-up`);

const groupName = (text: string): string => {
  if (!isKeyPart(text)) throw new InvalidArgumentError('A group has a name without colons.');
  return text;
};

const LINK = 'http://127.0.0.1:8233/namespaces/default/workflows/point-alarm-{node}';

interface AlertmanagerOptions extends ForwardOptions {
  readonly url: ReadonlyArray<URL>;
  readonly hierarchy?: string;
  readonly link: string;
  readonly resend: number;
}

const forwardToAlertmanager = async (surroundings: Surroundings, options: AlertmanagerOptions): Promise<ExitCode> => {
  const { url: urls, hierarchy: file, link, resend: resendMs, group } = options;
  const { settings, report } = surroundings;
  if (!URL.canParse(link.replaceAll('{node}', 'node')) || !link.includes('{node}'))
    throw unusable('--link must be a URL that holds {node}');
  const tree: NodeTree = file === undefined ? new Map() : await readHierarchy(surroundings, file);
  await checkAlertmanagers(urls);
  const log = createLog({ level: 'silent', process: 'pas' });
  const redis = connectRedis({ ...settings.redis, log, name: group }, settings.EVENT_STREAM);
  const about = (nodeId: string): AboutNode => ({
    labels: hierarchyLabels(tree, nodeId),
    link: link.replaceAll('{node}', nodeId),
  });
  try {
    return await forwardEvents(surroundings, {
      ...options,
      to: urls.map(alertmanagerAt).join(', '),
      handle: handleEvent,
      beside: (signal, registry) =>
        deliver({
          ...{ about, send: sendToAll(urls, report), resendMs, report, signal },
          count: counter(registry, 'point_alarm_forward_failures_total'),
          link: redis,
          keep: keepOf(settings.EVENT_STREAM, group),
        }),
    });
  } finally {
    await redis.close();
  }
};

const readHierarchy = async (surroundings: Surroundings, file: string): Promise<NodeTree> => {
  const tree = await readConfiguration(surroundings, file, hierarchyFile);
  const folded = foldedTypes(tree);
  if (folded.length > 0) throw unusable(`${file} cannot be labels: ${folded.join('; ')}`);
  return tree;
};

const forwardToPostgres = async (
  surroundings: Surroundings,
  { url, ...options }: ForwardOptions & { readonly url: URL },
): Promise<ExitCode> => {
  const at = `PostgreSQL at ${url.host}${url.pathname}`;
  const { migrated, write, close } = await openAlarmJournal(url.href, at);
  for (const step of migrated) surroundings.report(`added to the journal: ${step}`);
  try {
    return await forwardEvents(surroundings, {
      ...options,
      to: at,
      handle: (event) => write(event).then(() => undefined),
    });
  } finally {
    await close();
  }
};

const urlOf =
  (what: string, ...protocols: ReadonlyArray<string>) =>
  (text: string): URL => {
    if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol))
      throw new InvalidArgumentError(
        `It is a URL of ${what} that begins with ${protocols.map((one) => `${one}//`).join(' or ')}.`,
      );
    return new URL(text);
  };

const alertmanagerUrls = repeatable(urlOf('an Alertmanager', 'http:', 'https:'));

const postgresUrl = urlOf('a PostgreSQL database', 'postgres:', 'postgresql:');

interface ForwardOptions {
  readonly group: string;
  readonly claimAfter: number;
  readonly metricsPort?: number;
  readonly catchUp: boolean;
}

interface Forwarding extends ForwardOptions {
  readonly to: string;
  readonly handle: Handle;
  /** Work beside the consumer, until the signal aborts: when the consumer has ended. It never rejects. */
  readonly beside?: (signal: AbortSignal, registry: Registry) => Promise<void>;
}

const PROGRESS_MS = 5_000;
const LOOK_MS = 200;

/** Consumes the stream until Ctrl-C, or until all is handled. It reports progress while it is behind. */
const forwardEvents = async (surroundings: Surroundings, forwarding: Forwarding): Promise<ExitCode> => {
  const { settings, interrupted, report } = surroundings;
  const { group, claimAfter, metricsPort, catchUp, to, handle, beside } = forwarding;
  const { redis, EVENT_STREAM: stream } = settings;
  await (await openRedis(surroundings))?.close();
  if (interrupted.aborted) return exitCodes.done;
  const registry = new Registry();
  const metrics = metricsPort === undefined ? undefined : await serveMetrics(metricsPort, registry);
  const ended = new AbortController();
  const signal = AbortSignal.any([interrupted, ended.signal]);
  report(`forwarding ${stream} to ${to} as the group ${group}, Ctrl-C ends it`);
  let handled = 0;
  const consuming = consumeEvents({
    ...{ redis, stream, group, claimAfterMs: claimAfter, handle, signal, registry },
    onHandled: () => {
      handled += 1;
    },
    report: onceInAWhile((line) => void report(printable(line))),
  });
  const isDue = every(PROGRESS_MS);
  const watching = watchLag(registry, signal, (lag) => {
    if (isDue() && lag !== undefined && lag > 0) report(`${handled} events handled, ${lag} to go`);
    if (catchUp && lag === 0) ended.abort();
  });
  const consumed = new AbortController();
  const working = beside?.(consumed.signal, registry);
  try {
    await Promise.all([consuming, watching]);
    consumed.abort();
    await working;
  } finally {
    await metrics?.close();
  }
  report(`${handled} events handled`);
  return exitCodes.done;
};

/** Serves `/metrics`, the registry as Prometheus text, and `/healthz` on `port` of all addresses. */
const serveMetrics = (port: number, registry: Registry) =>
  servePages({ port }, async (path) => {
    if (path === '/healthz') return { status: 200, body: 'alive' };
    if (path !== '/metrics') return { status: 404 };
    return { status: 200, type: registry.contentType, body: await registry.metrics() };
  }).catch((thrown: unknown) => {
    throw unusable(`--metrics-port ${port}: ${reasonOf(thrown)}`);
  });

/** Asks for the lag again and again; undefined where Redis does not know it. */
const watchLag = async (registry: Registry, signal: AbortSignal, see: (lag: number | undefined) => void) => {
  while (!signal.aborted) {
    await pause(LOOK_MS, signal);
    const lag = await registry.getSingleMetric('point_alarm_consumer_lag')?.get();
    see(lag?.values[0]?.value);
  }
};

const QUIET_MS = 10_000;

/** Lines of one outage differ by their entries alone, and come by the hundred: one in ten seconds is shown. */
const onceInAWhile = (report: (line: string) => void): ((line: string) => void) => {
  let [shown, quietUntil] = ['', 0];
  return (line) => {
    const kind = line.replaceAll(/\d+-\d+/gu, '');
    if (kind === shown && performance.now() < quietUntil) return;
    [shown, quietUntil] = [kind, performance.now() + QUIET_MS];
    report(line);
  };
};

import { InvalidArgumentError, Option, type Command } from 'commander';
import { Registry } from 'prom-client';
import { pause } from '../../process/backoff';
import { hierarchyFile, type NodeTree } from '../../process/files/hierarchy-file';
import { counter } from '../../process/metrics';
import { servePages } from '../../process/page-server';
import { reasonOf } from '../../process/reason-of';
import { consumeEvents, type Handle } from '../../stream/consumer';
import { isKeyPart } from '../../stream/consumer/effects';
import { keepOf } from '../../stream/consumer/group';
import type { RedisLink } from '../../stream/link';
import { repeatable, time, timeFrom, whole } from '../arguments';
import { exitCodes, printable, unusable, type ExitCode } from '../failure';
import { openRedis } from '../follow-stream';
import { handleEvent } from '../forward/alertmanager/alarms';
import { foldedTypes, hierarchyLabels } from '../forward/alertmanager/alert';
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
      .addOption(timeOption('--resend <time>', 'how often alarms that last are sent again', '1m')),
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
    .addOption(timeOption('--claim-after <time>', 'take over events of a process that is silent for so long', '30s'))
    .option('--metrics-port <port>', 'serve /metrics and /healthz there', whole(1, 65_535))
    .option('--catch-up', 'end once all events are handled', false)
    .addHelpText('after', `\nExample:\n  $ pas forward ${command.name()} --url ${exampleUrl} --catch-up`);

const timeOption = (flags: string, description: string, preset: string): Option =>
  new Option(flags, description).argParser(timeFrom(1_000)).default(time(preset), preset);

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
  const { url: urls, hierarchy, link: template, resend: resendMs, group, catchUp } = options;
  const { settings, report } = surroundings;
  if (!URL.canParse(template.replaceAll('{node}', 'node')) || !template.includes('{node}'))
    throw unusable('--link must be a URL that holds {node}');
  const tree: NodeTree = hierarchy === undefined ? new Map() : await readHierarchy(surroundings, hierarchy);
  await checkAlertmanagers(urls);
  const keep = keepOf(settings.EVENT_STREAM, group);
  const about = (nodeId: string) => ({
    labels: hierarchyLabels(tree, nodeId),
    link: template.replaceAll('{node}', nodeId),
  });
  return forwardEvents(surroundings, options, {
    name: urls.map(alertmanagerAt).join(', '),
    handle: handleEvent,
    beside: async (link, registry, signal) => {
      const count = counter(registry, 'point_alarm_forward_failures_total');
      const countRefused = counter(registry, 'point_alarm_forward_refused_alerts_total');
      let refused = 0;
      const tell = (line: string): void => void report(printable(line));
      const send = sendToAll(urls, tell, (alerts) => {
        refused += alerts;
        countRefused(alerts);
      });
      const isDelivered = await deliver({ link, keep, about, send, resendMs, report: tell, count, signal, catchUp });
      return isDelivered && refused === 0;
    },
  });
};

const readHierarchy = async (surroundings: Surroundings, file: string): Promise<NodeTree> => {
  const tree = await readConfiguration(surroundings, file, hierarchyFile);
  const folded = foldedTypes(tree);
  if (folded.length > 0) throw unusable(`${file} cannot be labels: ${folded.join('; ')}`);
  return tree;
};

const forwardToPostgres = async (surroundings: Surroundings, options: ForwardOptions & { readonly url: URL }) => {
  const name = `PostgreSQL at ${options.url.host}${options.url.pathname}`;
  const { migrated, write, close } = await openAlarmJournal(options.url.href, name, options.claimAfter / 2);
  for (const step of migrated) surroundings.report(`added to the journal: ${step}`);
  const handle: Handle = (event) => write(event).then(() => undefined);
  return forwardEvents(surroundings, options, { name, handle }).finally(close);
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

/** The other system. */
interface Target {
  readonly name: string;
  readonly handle: Handle;
  /** Work beside the consumer, until the signal aborts: when the consumer has ended. Yields whether all is delivered; never rejects. */
  readonly beside?: (redis: RedisLink, registry: Registry, signal: AbortSignal) => Promise<boolean>;
}

const PROGRESS_MS = 5_000;
const LOOK_MS = 200;

/** Consumes the stream until Ctrl-C, or until all is handled. It reports progress while it is behind. */
const forwardEvents = async (
  surroundings: Surroundings,
  { group, claimAfter: claimAfterMs, metricsPort, catchUp }: ForwardOptions,
  { name, handle, beside }: Target,
): Promise<ExitCode> => {
  const { settings, interrupted, report } = surroundings;
  const { redis, EVENT_STREAM: stream } = settings;
  const link = await openRedis(surroundings);
  if (link === undefined) return exitCodes.done;
  const registry = new Registry();
  const [caughtUp, consumed] = [new AbortController(), new AbortController()];
  const signal = AbortSignal.any([interrupted, caughtUp.signal]);
  let handled = 0;
  let isDelivered = true;
  const watchLag = async (): Promise<void> => {
    const isDue = every(PROGRESS_MS);
    while (!signal.aborted) {
      await pause(LOOK_MS, signal);
      const lag = await registry.getSingleMetric('point_alarm_consumer_lag')?.get();
      const left = lag?.values[0]?.value; // undefined where Redis does not know it
      if (isDue() && left !== undefined && left > 0) report(`${handled} events handled, ${left} to go`);
      if (catchUp && left === 0) caughtUp.abort();
    }
  };
  let metrics: Awaited<ReturnType<typeof serveMetrics>> | undefined;
  try {
    if (metricsPort !== undefined) metrics = await serveMetrics(metricsPort, registry);
    report(`forwarding ${stream} to ${name} as the group ${group}, Ctrl-C ends it`);
    const consuming = consumeEvents({
      ...{ redis, stream, group, claimAfterMs, handle, signal, registry },
      onHandled: () => void (handled += 1),
      report: onceInAWhile((line) => void report(printable(line))),
    });
    const [, , delivered] = await Promise.all([
      consuming.finally(() => consumed.abort()),
      watchLag(),
      beside?.(link, registry, consumed.signal),
    ]);
    isDelivered = delivered ?? true;
  } finally {
    await Promise.all([metrics?.close(), link.close()]);
  }
  const skipped = await skippedIn(registry);
  if (skipped > 0) report(`${skipped} events were set aside or lost`);
  report(`${handled} events handled${isDelivered ? '' : ', not all of them delivered'}`);
  return catchUp && (skipped > 0 || !isDelivered) ? exitCodes.someFailed : exitCodes.done;
};

/** How many events of the stream had no effect, and will have none. */
const skippedIn = async (registry: Registry): Promise<number> => {
  const { values = [] } = (await registry.getSingleMetric('point_alarm_consumer_events_total')?.get()) ?? {};
  return values
    .filter(({ labels: { outcome } }) => outcome === 'aside' || outcome === 'lost')
    .reduce((sum, { value }) => sum + value, 0);
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

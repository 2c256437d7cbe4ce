import { InvalidArgumentError, Option, type Command } from 'commander';
import { Registry } from 'prom-client';
import { pause } from '../../process/backoff';
import { hierarchyFile, type NodeTree } from '../../process/files/hierarchy-file';
import { counter } from '../../process/metrics';
import { servePages } from '../../process/page-server';
import { reasonOf } from '../../process/reason-of';
import { consumeEvents, type Handle } from '../../stream/consumer';
import { isKeyPart } from '../../stream/consumer/effects';
import { CLAIM_AFTER_MS, keyPrefixOf } from '../../stream/consumer/group';
import type { RedisConnection } from '../../stream/redis-connection';
import { alertmanagerUrls, postgresAt, postgresUrl, parseDuration, timeFrom, parseWholeNumber } from '../arguments';
import { exitCodes, printable, unusable, type ExitCode } from '../failure';
import { openRedis } from '../follow-stream';
import { foldedTypes, hierarchyLabels } from '../forward/alertmanager/alert';
import { alertmanagerAt, checkAlertmanagers, sendToAll } from '../forward/alertmanager/alertmanager';
import { deliver } from '../forward/alertmanager/deliver';
import { notifiedUntil } from '../forward/alertmanager/due-time';
import { handleEvents } from '../forward/alertmanager/handle-event';
import { delays, silences, timingOf, type TimingOptions } from '../forward/alertmanager/timing';
import { openAlarmJournal } from '../forward/postgres/journal';
import { readConfiguration } from '../input';
import { createThrottle } from '../long-work';
import type { Act, CommandContext } from '../command-context';

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
      .addOption(timeOption('--resend <time>', 'how often alarms that last are sent again', '1m'))
      .option('--for <time>', `how long an alarm must last before it is sent ${OF_EACH}`, delays)
      .option('--keep-firing-for <time>', `how long it must be good before its end is sent ${OF_EACH}`, delays)
      .option(
        '--silent-after <time>',
        'send an alert for a node without a measurement for so long; repeat it as TYPE=time',
        silences,
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

const OF_EACH = '(default: 0s); repeat it as SEVERITY=time, or TYPE=time for a type of node';

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
      timeOption(
        '--claim-after <time>',
        'take over events of a process that is silent for so long',
        `${CLAIM_AFTER_MS / 1_000}s`,
      ),
    )
    .option('--metrics-port <port>', 'serve /metrics and /healthz there', parseWholeNumber(1, 65_535))
    .option('--catch-up', 'end once all events are handled', false)
    .addHelpText('after', `\nExample:\n  $ pas forward ${command.name()} --url ${exampleUrl} --catch-up`);

/** An option for a time of at most one day. A timer of Node.js for more than 24 days would fire at once. */
const timeOption = (flags: string, description: string, preset: string): Option =>
  new Option(flags, description).argParser(timeFrom(1_000, parseDuration('1d'))).default(parseDuration(preset), preset);

const groupName = (text: string): string => {
  if (!isKeyPart(text)) throw new InvalidArgumentError('A group has a name without colons.');
  return text;
};

const LINK = 'http://127.0.0.1:8233/namespaces/default/workflows/point-alarm-{node}';
/** Matches a `%` without two hexadecimal digits. Alertmanager refuses every alert whose link has one. */
const HALF_ESCAPE = /%(?![\da-f]{2})/iu;

interface AlertmanagerOptions extends ForwardOptions, TimingOptions {
  readonly url: ReadonlyArray<URL>;
  readonly hierarchy?: string;
  readonly link: string;
  readonly resend: number;
}

const forwardToAlertmanager = async (context: CommandContext, options: AlertmanagerOptions): Promise<ExitCode> => {
  const { url: urls, hierarchy, link: template, resend: resendMs, group, catchUp } = options;
  const { settings, report } = context;
  const isUrl = URL.canParse(template.replaceAll('{node}', 'node')) && !HALF_ESCAPE.test(template);
  if (!isUrl || !template.includes('{node}')) throw unusable('--link must be a URL that holds {node}');
  const tree: NodeTree = hierarchy === undefined ? new Map() : await readHierarchy(context, hierarchy);
  const timing = timingOf(options, tree, hierarchy);
  await checkAlertmanagers(urls);
  const keyPrefix = keyPrefixOf(settings.EVENT_STREAM, group);
  const about = (nodeId: string) => ({
    labels: hierarchyLabels(tree, nodeId),
    link: template.replaceAll('{node}', nodeId),
  });
  return forwardEvents(context, options, {
    name: urls.map(alertmanagerAt).join(', '),
    handle: (redis) => handleEvents(timing.of, (appendedAt) => notifiedUntil({ redis, keyPrefix }, appendedAt)),
    runBeside: async (redis, registry, signal) => {
      const count = counter(registry, 'point_alarm_forward_failures_total');
      const countRefused = counter(registry, 'point_alarm_forward_refused_alerts_total');
      let refused = 0;
      const reportLine = (line: string): void => void report(printable(line));
      const send = sendToAll(urls, reportLine, (alerts) => {
        refused += alerts;
        countRefused(alerts);
      });
      const isDelivered = await deliver({
        redis,
        stream: settings.EVENT_STREAM,
        group,
        keyPrefix,
        timing,
        about,
        send,
        resendMs,
        report: reportLine,
        count,
        signal,
        catchUp,
      });
      return isDelivered && refused === 0;
    },
  });
};

const readHierarchy = async (context: CommandContext, file: string): Promise<NodeTree> => {
  const tree = await readConfiguration(context, file, hierarchyFile);
  const folded = foldedTypes(tree);
  if (folded.length > 0) throw unusable(`${file} cannot be labels: ${folded.join('; ')}`);
  return tree;
};

const forwardToPostgres = async (context: CommandContext, options: ForwardOptions & { readonly url: URL }) => {
  const name = postgresAt(options.url);
  const { migrated, write, close } = await openAlarmJournal(options.url.href, name, options.claimAfter / 2);
  for (const step of migrated) context.report(`added to the journal: ${step}`);
  const handle: Handle = (event) => write(event).then(() => undefined);
  return forwardEvents(context, options, { name, handle: () => handle }).finally(close);
};

interface ForwardOptions {
  readonly group: string;
  readonly claimAfter: number;
  readonly metricsPort?: number;
  readonly catchUp: boolean;
}

/** The system to which events are forwarded. */
interface Target {
  readonly name: string;
  readonly handle: (redis: RedisConnection) => Handle;
  /** Runs until `signal` aborts, because the consumer ended. Resolves to whether everything is delivered; never rejects. */
  readonly runBeside?: (redis: RedisConnection, registry: Registry, signal: AbortSignal) => Promise<boolean>;
}

const PROGRESS_MS = 5_000;
const LOOK_MS = 200;

/** Consumes the stream until Ctrl-C, or with `catchUp` until all events are handled. Reports how many events are left. */
const forwardEvents = async (
  context: CommandContext,
  { group, claimAfter: claimAfterMs, metricsPort, catchUp }: ForwardOptions,
  { name, handle, runBeside }: Target,
): Promise<ExitCode> => {
  const { settings, interrupted, report } = context;
  const { redis, EVENT_STREAM: stream } = settings;
  const connection = await openRedis(context);
  if (connection === undefined) return exitCodes.done;
  const registry = new Registry();
  const [caughtUp, consumed] = [new AbortController(), new AbortController()];
  const signal = AbortSignal.any([interrupted, caughtUp.signal]);
  let handled = 0;
  let isDelivered = true;
  const watchLag = async (): Promise<void> => {
    const isDue = createThrottle(PROGRESS_MS);
    while (!signal.aborted) {
      await pause(LOOK_MS, signal);
      const lag = await registry.getSingleMetric('point_alarm_consumer_lag')?.get();
      const left = lag?.values[0]?.value; // undefined if Redis cannot compute the lag
      if (isDue() && left !== undefined && left > 0) report(`${handled} events handled, ${left} to go`);
      if (catchUp && left === 0) caughtUp.abort();
    }
  };
  let metrics: Awaited<ReturnType<typeof serveMetrics>> | undefined;
  try {
    if (metricsPort !== undefined) metrics = await serveMetrics(metricsPort, registry);
    report(`forwarding ${stream} to ${name} as the group ${group}, Ctrl-C ends it`);
    const consuming = consumeEvents({
      redis,
      stream,
      group,
      claimAfterMs,
      handle: handle(connection),
      signal,
      registry,
      onHandled: () => void (handled += 1),
      report: onceInAWhile((line) => void report(printable(line))),
    });
    const [, , delivered] = await Promise.all([
      consuming.finally(() => consumed.abort()),
      watchLag(),
      runBeside?.(connection, registry, consumed.signal),
    ]);
    isDelivered = delivered ?? true;
  } finally {
    await Promise.all([metrics?.close(), connection.close()]);
  }
  const skipped = await skippedIn(registry);
  if (skipped > 0) report(`${skipped} events were set aside or lost`);
  report(`${handled} events handled${isDelivered ? '' : ', not all of them delivered'}`);
  return catchUp && (skipped > 0 || !isDelivered) ? exitCodes.someFailed : exitCodes.done;
};

/** Number of events that were set aside after failures, or were trimmed from the stream before they were handled. */
const skippedIn = async (registry: Registry): Promise<number> => {
  const { values = [] } = (await registry.getSingleMetric('point_alarm_consumer_events_total')?.get()) ?? {};
  return values
    .filter(({ labels: { outcome } }) => outcome === 'aside' || outcome === 'lost')
    .reduce((sum, { value }) => sum + value, 0);
};

/** Serves `/metrics` (the registry as Prometheus text) and `/healthz` on `port`, on all addresses of the machine. */
const serveMetrics = (port: number, registry: Registry) =>
  servePages({ port }, async (path) => {
    if (path === '/healthz') return { status: 200, body: 'alive' };
    if (path !== '/metrics') return { status: 404 };
    return { status: 200, type: registry.contentType, body: await registry.metrics() };
  }).catch((thrown: unknown) => {
    throw unusable(`--metrics-port ${port}: ${reasonOf(thrown)}`);
  });

const QUIET_MS = 10_000;

/** If successive lines differ only in entry ids, reports one of them per ten seconds: an outage causes hundreds of them. */
const onceInAWhile = (report: (line: string) => void): ((line: string) => void) => {
  let [shown, quietUntil] = ['', 0];
  return (line) => {
    const kind = line.replaceAll(/\d+-\d+/gu, '');
    if (kind === shown && performance.now() < quietUntil) return;
    [shown, quietUntil] = [kind, performance.now() + QUIET_MS];
    report(line);
  };
};

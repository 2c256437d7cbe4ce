import { Option, type Command } from 'commander';
import * as E from 'fp-ts/Either';
import type { Colors } from 'picocolors/types';
import { partsLine } from '../../workflows/domain/alarm/alarm-lines';
import { statusNames, type Status } from '../../workflows/domain/alarm/status';
import type { StreamEvent } from '../../workflows/domain/node/events';
import { limitNames, type AlarmLimits } from '../../workflows/domain/threshold/alarm-limits';
import type { ThresholdView } from '../../workflows/domain/threshold/threshold';
import { entryId, nodes, status, parseDuration, parseWholeNumber } from '../arguments';
import { followStream, type From } from '../follow-stream';
import { exitCodes, printable, type ExitCode } from '../failure';
import { readEntry, type Entry } from '../../stream/entry';
import { untilOutputCloses, type Act, type CommandContext } from '../command-context';
import { painted } from '../table';

interface WatchOptions extends EventFilter {
  readonly from?: string;
  readonly since?: number;
  readonly last?: number;
  readonly count?: number;
  readonly once: boolean;
  readonly json: boolean;
}

export const addWatch = (program: Command, act: Act): void => {
  program
    .command('watch')
    .description('print events as they come, until Ctrl-C')
    .option('--node <node>', 'only of this node; may be repeated', nodes)
    .option('--min-status <status>', 'only statuses from here on, 0 to 4 or its name', status)
    .option('--changed', 'only where an alarm changed', false)
    .option('--from <entry>', 'begin behind the entry of this id; 0 begins with the oldest', entryId)
    .addOption(
      new Option('--since <time>', 'begin at this time ago, such as 10m').argParser(parseDuration).conflicts('from'),
    )
    .addOption(
      new Option('--last <count>', 'begin with so many of the newest entries')
        .argParser(parseWholeNumber(1, 10_000_000))
        .conflicts(['from', 'since']),
    )
    .option('--count <count>', 'end after so many events', parseWholeNumber(1, 999_999_999))
    .option('--once', 'end with the newest event that there is', false)
    .option('--json', 'as JSON, an event a line', false)
    .addHelpText('after', '\nExample:\n  $ pas watch --min-status ALERT --since 10m')
    .action(act(watch));
};

const watch = async (context: CommandContext, options: WatchOptions): Promise<ExitCode> => {
  const { report } = context;
  let left = options.count ?? Infinity;
  const show = ({ id, fields }: Entry): void => {
    const event = readEntry(fields);
    if (E.isLeft(event)) return void report(printable(`entry ${id} is passed over: ${event.left}`));
    if (left <= 0 || !isWanted(options, event.right)) return;
    left -= 1;
    context.print(
      options.json ? JSON.stringify({ entry: id, ...event.right }) : eventLine(context.colors, event.right),
    );
  };
  let hasReportedOlder = options.last === undefined;
  for await (const { entries, isCurrent, hasOlder } of followStream(
    untilOutputCloses(context),
    fromOf(options),
    report,
  )) {
    if (hasOlder && !hasReportedOlder) report(`begins with the newest ${options.last}; the stream has older entries`);
    hasReportedOlder ||= hasOlder;
    entries.forEach(show);
    if (left <= 0 || (options.once && isCurrent)) break;
  }
  return exitCodes.done;
};

const fromOf = ({ from, since, last = 0 }: WatchOptions): From => {
  if (from !== undefined) return { after: from };
  return since === undefined ? { newest: last } : { agoMs: since };
};

/** Selects events. `minStatus` and `changed` exclude all events of thresholds, because these have no status. */
export interface EventFilter {
  /** Only events of these nodes; if it is missing, events of all nodes. */
  readonly node?: ReadonlyArray<string>;
  readonly minStatus?: Status;
  readonly changed: boolean;
}

export const isWanted = ({ node: wanted, minStatus, changed }: EventFilter, event: StreamEvent): boolean => {
  if (wanted !== undefined && !wanted.includes(event.aggregateId)) return false;
  if (event.type === 'SetPointAlarmThresholdEvent') return minStatus === undefined && !changed;
  return event.alarmStatus >= (minStatus ?? 0) && (event.alarmsChanged || !changed);
};

const WIDTH = 'NOT_CONFIGURED'.length;

/** An event as one line: time, status or `threshold`, node, and parts or limits. A `*` marks that an alarm changed. */
export const eventLine = (colors: Colors, event: StreamEvent): string => {
  const at = new Date(event.updatedAt).toISOString();
  if (event.type === 'SetPointAlarmThresholdEvent') {
    const word = colors.cyan('threshold'.padEnd(WIDTH));
    return `${at}   ${word} ${event.aggregateId}  ${kindsLine(event.threshold)}`.trimEnd();
  }
  const word = painted(colors, event.alarmStatus, statusNames[event.alarmStatus].padEnd(WIDTH));
  return `${at} ${event.alarmsChanged ? '*' : ' '} ${word} ${event.aggregateId}  ${partsLine(event)}`.trimEnd();
};

const kindsLine = (threshold: ThresholdView): string => {
  const { thresholdType: type, overall, rateOfChange, inspection, bandAlarms, halAlarms } = threshold;
  return [
    overall && `overall type ${type ?? 0} ${limitsLine(overall)}`,
    rateOfChange && `rate of change ${limitsLine(rateOfChange)}`,
    inspection && `inspection ${inspection.choices.length} choices`,
    bandAlarms && `${bandAlarms.length} bands`,
    halAlarms && `${halAlarms.length} HALs`,
  ]
    .filter((kind) => kind !== undefined)
    .join(', ');
};

/** The four limits from the lowest to the highest, with `-` for a missing limit, and the unit. */
const limitsLine = (limits: AlarmLimits): string =>
  `${limitNames.map((name) => limits[name] ?? '-').join(' ')} ${printable(limits.unit ?? '')}`.trimEnd();

import { Option, type Command } from 'commander';
import * as E from 'fp-ts/Either';
import type { Status } from '../../workflows/domain/alarm/status';
import { entryId, nodes, status, time, whole } from '../arguments';
import { isWanted } from '../events/event-filter';
import { eventLine } from '../events/event-line';
import { followStream, type Entry, type From } from '../events/follow-stream';
import { exitCodes, type ExitCode } from '../exit-codes';
import { printable } from '../printable';
import { type Act, failed, type Surroundings } from '../surroundings';

interface WatchOptions {
  readonly node?: ReadonlyArray<string>;
  readonly minStatus?: Status;
  readonly changed: boolean;
  readonly from?: string;
  readonly since?: number;
  readonly count?: number;
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
    .addOption(new Option('--since <time>', 'begin at this time ago, such as 10m').argParser(time).conflicts('from'))
    .option('--count <count>', 'end after so many events', whole(1, 999_999_999))
    .option('--json', 'as JSON, an event a line', false)
    .addHelpText('after', '\nExample:\n  $ pas watch --min-status ALERT --since 10m')
    .action((options: WatchOptions) => act((surroundings) => watch(surroundings, options)));
};

const watch = async (surroundings: Surroundings, options: WatchOptions): Promise<ExitCode> => {
  const { settings, interrupted: signal, report } = surroundings;
  const { node = [], minStatus, changed, count = Infinity } = options;
  const filter = { nodes: node, changed, ...(minStatus !== undefined && { minStatus }) };
  let left = count;
  const show = ({ id, event }: Entry): void => {
    if (E.isLeft(event)) return void report(printable(`entry ${id} is passed over: ${event.left}`));
    if (left <= 0 || !isWanted(filter, event.right)) return;
    left -= 1;
    surroundings.print(
      options.json ? JSON.stringify({ entry: id, ...event.right }) : eventLine(surroundings.colors, event.right),
    );
  };
  const outcome = await followStream({
    redis: settings.redis,
    stream: settings.stream,
    partitions: settings.partitions,
    from: fromOf(options),
    signal,
    onBegin: () => {
      report(`following ${settings.stream}, Ctrl-C ends it`);
    },
    report,
    onEntries: (entries) => {
      entries.forEach(show);
      return left > 0;
    },
  });
  return E.isLeft(outcome) ? failed(surroundings, outcome.left) : exitCodes.done;
};

const fromOf = ({ from, since }: WatchOptions): From => {
  if (from !== undefined) return { _tag: 'Behind', id: from };
  return since !== undefined ? { _tag: 'Ago', ms: since } : { _tag: 'Now' };
};

import { shareNextRun } from '../../process/share-next-run';
import { STREAM_START } from '../entry';
import { runCallback, type Consumer } from './consumer';
import { UNKNOWN, type Gap, type ConsumerGroup, type RedisCommands } from './group';
import { FIELD, UNREPORTED } from './scripts';

/** An id after every entry. It is not the greatest possible id, because Redis takes that one for '>' (new entries). */
const BEHIND_ALL = '18446744073709551615-0';

type GapReporterParts = Omit<Consumer, 'reportGaps'>;

/**
 * Makes a function that reports each unreported gap: once, or twice if the process or its connection dies before Redis removes
 * the gap. Searches run one at a time, because two would find the same gaps. Calls during a search share the next one.
 */
export const createGapReporter = (consumer: GapReporterParts): Consumer['reportGaps'] => {
  /** Gaps that were reported, but are not removed from Redis yet. */
  const reportedTexts = new Set<string>();
  const report = async (): Promise<void> => {
    const gaps = await unreportedGaps(consumer.commands, consumer);
    for (const [text, gap] of gaps) {
      if (!reportedTexts.has(text)) reportGap(consumer, gap);
      reportedTexts.add(text);
    }
    const texts = gaps.map(([text]) => text);
    if (texts.length === 0) return;
    await removeReported(consumer.commands, consumer, texts);
    for (const text of texts) reportedTexts.delete(text);
  };
  return shareNextRun(report);
};

const reportGap = (consumer: GapReporterParts, gap: Gap): void => {
  const { from, to, entries } = gap;
  const trimmed = from === to ? to : `${entries ?? 'entries'} between ${from} and ${to}`;
  const what =
    from === STREAM_START
      ? `Redis lost the group ${consumer.group}, perhaps with events`
      : `trimmed before they were handled: ${trimmed}`;
  consumer.report(`${what}; run pas republish --all --again`);
  consumer.count('lost', entries ?? 1);
  runCallback(consumer, 'onGap', gap);
};

/** A gap that this consumer has to report, with the member of Redis' sorted set that stands for it. */
type UnreportedGap = readonly [text: string, gap: Gap];

/** The gaps that this consumer has to report: its own, and those of consumers that left or were idle for `claimAfterMs`. */
const unreportedGaps = async (
  { client }: RedisCommands,
  { stream, keyPrefix, group, consumer, claimAfterMs }: ConsumerGroup,
): Promise<ReadonlyArray<UnreportedGap>> => {
  const answer: unknown = await client.eval(LIST_UNREPORTED, {
    keys: [stream, `${keyPrefix}:unreported`],
    arguments: [group, consumer, String(claimAfterMs)],
  });
  return (answer as ReadonlyArray<string>).map((text) => {
    const [from = STREAM_START, to = STREAM_START, entries = UNKNOWN] = text.split(' ');
    return [text, { from, to, ...(entries !== UNKNOWN && { entries: Number(entries) }) }];
  });
};

const removeReported = (
  { client }: RedisCommands,
  { keyPrefix }: ConsumerGroup,
  texts: ReadonlyArray<string>,
): Promise<unknown> => client.zRem(`${keyPrefix}:unreported`, [...texts]);

/**
 * Answers the gaps that the consumer has to report, after it took over those of silent consumers. First it reads pending
 * entries after `BEHIND_ALL` (there are none), which ends its idle time. In Redis 7.0, reads without new entries do not.
 *
 * KEYS: stream, unreported. ARGV: group, consumer, idle time (ms) after which a consumer counts as silent.
 */
const LIST_UNREPORTED = `${FIELD}${UNREPORTED}local stream, group, consumer, silent = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
redis.call('XREADGROUP', 'GROUP', group, consumer, 'COUNT', 1, 'STREAMS', stream, '${BEHIND_ALL}')
local found, own, isThere = redis.call('ZRANGEBYLEX', unreported, '-', '+'), {}, {}
if #found == 0 then return own end
for _, one in ipairs(redis.call('XINFO', 'CONSUMERS', stream, group)) do
  isThere[field(one, 'name')] = field(one, 'idle') < silent
end
for _, text in ipairs(found) do
  local from, to, entries, teller = string.match(text, '^(%S+) (%S+) (%S+) (.*)$')
  if teller ~= consumer and not isThere[teller] then
    redis.call('ZREM', unreported, text)
    lose(from, to, entries, consumer)
    teller = consumer
  end
  if teller == consumer then own[#own + 1] = table.concat({ from, to, entries, teller }, ' ') end
end
return own
`;

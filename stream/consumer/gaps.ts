import { tell, type Consumer } from './consumer';
import { NOWHERE, UNKNOWN, type Gap, type Group, type Redis } from './group';
import { FIELD, UNREPORTED } from './scripts';

/** Behind every entry; Redis takes the very last id for '>'. */
const BEHIND_ALL = '18446744073709551615-0';

type Teller = Omit<Consumer, 'reportGaps'>;

/**
 * Tells of the gaps that nobody was told of yet: each once, or twice where the process or its connection dies in between. One call
 * looks at a time, and those that come meanwhile share the next one: two would find the same gaps.
 */
export const gapReporter = (consumer: Teller): Consumer['reportGaps'] => {
  /** Of gaps that Redis has not forgotten yet. */
  const told = new Set<string>();
  const report = async (): Promise<void> => {
    const gaps = await unreportedGaps(consumer.commands, consumer);
    for (const [text, gap] of gaps) {
      if (!told.has(text)) tellGap(consumer, gap);
      told.add(text);
    }
    const texts = gaps.map(([text]) => text);
    if (texts.length === 0) return;
    await reported(consumer.commands, consumer, texts);
    for (const text of texts) told.delete(text);
  };
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () =>
    (next ??= current.then(() => {
      next = undefined;
      const begun = report();
      current = begun.catch(() => undefined);
      return begun;
    }));
};

const tellGap = (consumer: Teller, gap: Gap): void => {
  const { from, to, entries } = gap;
  const trimmed = from === to ? to : `${entries ?? 'entries'} between ${from} and ${to}`;
  const what =
    from === NOWHERE
      ? `Redis lost the group ${consumer.group}, perhaps with events`
      : `trimmed before they were handled: ${trimmed}`;
  consumer.report(`${what}; run pas republish --all --again`);
  consumer.count('lost', entries ?? 1);
  tell(consumer, 'onGap', gap);
};

/** A gap that this consumer is to tell of, and its text in Redis. */
type UnreportedGap = readonly [text: string, gap: Gap];

/** The gaps that this consumer is to tell of: its own, and those of consumers that are gone, or silent for too long. */
const unreportedGaps = async (
  { client }: Redis,
  { stream, keep, group, consumer, claimAfterMs }: Group,
): Promise<ReadonlyArray<UnreportedGap>> => {
  const answer: unknown = await client.eval(TELL, {
    keys: [stream, `${keep}:unreported`],
    arguments: [group, consumer, String(claimAfterMs)],
  });
  return (answer as ReadonlyArray<string>).map((text) => {
    const [from = NOWHERE, to = NOWHERE, entries = UNKNOWN] = text.split(' ');
    return [text, { from, to, ...(entries !== UNKNOWN && { entries: Number(entries) }) }];
  });
};

/** Forgets gaps that somebody was told of. */
const reported = ({ client }: Redis, { keep }: Group, texts: ReadonlyArray<string>): Promise<unknown> =>
  client.zRem(`${keep}:unreported`, [...texts]);

/**
 * A consumer that finds nothing new counts as idle in Redis 7.0; to look for what it holds behind all entries makes it
 * heard of.
 *
 * KEYS: stream, unreported. ARGV: group, consumer, time (ms) of silence.
 */
const TELL = `${FIELD}${UNREPORTED}local stream, group, consumer, silent = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
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

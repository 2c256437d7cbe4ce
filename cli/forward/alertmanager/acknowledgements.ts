import * as E from 'fp-ts/Either';
import { reasonOf } from '../../../process/reason-of';
import * as c from '../../../workflows/domain/codecs';
import {
  accessDenied,
  CommandFailure,
  DENIED,
  exitCodes,
  notReachable,
  printable,
  unlessInterrupted,
  unusable,
} from '../../failure';
import { alertNames } from './alert';
import { alertmanagerAt, call, answerInWords, isRefusal } from './alertmanager';

/** `by` looks after the alarms of a node, or of one part of it (`part` is not null), from `at` to `until` (ISO 8601). */
export interface Acknowledgement {
  readonly id: string;
  readonly node: string;
  readonly part: string | null;
  readonly at: string;
  readonly until: string;
  readonly by: string;
  readonly comment: string;
}

const ANSWERS_WITHIN_MS = 30_000;
const MOST_BYTES = 64 * 1_048_576;
const MOST_ITEMS = 1_000_000;

/** Alerts and silences of other programs may hold any text, such as a regular expression for hundreds of nodes. */
const anyText = c.text(MOST_BYTES);

const matcher = c.object('matcher', { name: anyText, value: anyText }, { isRegex: c.flag, isEqual: c.flag });
const silence = c.object('silence', {
  id: c.text(64, 1),
  matchers: c.array(matcher, 1_000),
  startsAt: c.instant,
  endsAt: c.instant,
  createdBy: anyText,
  comment: anyText,
});
const silences = c.array(silence, MOST_ITEMS);
const taken = c.object('answer', { silenceID: c.text(64, 1) });
const labels = c.object('labels', {}, { alertname: anyText, part: anyText });
const alerts = c.array(c.object('alert', { labels }), MOST_ITEMS);

type Silence = c.TypeOf<typeof silence>;
type Matchers = Silence['matchers'];

/**
 * The matchers of an acknowledgement's silence. They match the alerts of one part, or all alerts of the node, also
 * `PointAlarmSilent`. `acknowledgementOf` also accepts silences with further matchers for `label` or `alertname`.
 */
export const matchersOf = ({ node, part }: Pick<Acknowledgement, 'node' | 'part'>): Matchers =>
  Object.entries({ node, ...(part !== null && { part }) }).map(([name, value]) => ({
    name,
    value,
    isRegex: false,
    isEqual: true,
  }));

const KNOWN = ['alertname', 'node', 'part', 'label'];

export const acknowledgementOf = ({ id, matchers, ...others }: Silence): ReadonlyArray<Acknowledgement> => {
  const matched = new Map(matchers.map(({ name, value }) => [name, value]));
  const isExact = matchers.every(
    ({ name, isRegex = false, isEqual = true }) => !isRegex && isEqual && KNOWN.includes(name),
  );
  const node = c.decode(c.uuid, matched.get('node'));
  if (!isExact || E.isLeft(node) || (matched.get('alertname') ?? alertNames.alarm) !== alertNames.alarm) return [];
  const { startsAt: at, endsAt: until, createdBy: by, comment } = others;
  return [{ id, node: node.right, part: matched.get('part') ?? null, at, until, by, comment }];
};

/**
 * Reads the acknowledgements in a cluster of Alertmanagers, also ended ones. `others` counts the silences that are not
 * acknowledgements. The members share their silences, so the first answer is enough. Errors: it throws a `CommandFailure`.
 */
export const readAcknowledgements = async (
  urls: ReadonlyArray<URL>,
  signal: AbortSignal,
): Promise<{ readonly acknowledgements: ReadonlyArray<Acknowledgement>; readonly others: number }> => {
  const found = await unlessInterrupted(signal, atFirst(urls, readSilences));
  const acknowledgements = found.flatMap(acknowledgementOf);
  return { acknowledgements, others: found.length - acknowledgements.length };
};

/** Reads the acknowledgements that have not ended, of all nodes. Errors: those of `readAcknowledgements`. */
export const readLasting = async (
  urls: ReadonlyArray<URL>,
  signal: AbortSignal,
): Promise<ReadonlyArray<Acknowledgement>> => (await readAcknowledgements(urls, signal)).acknowledgements.filter(lasts);

const lasts = ({ until }: Acknowledgement): boolean => c.epochMsOf(until) > Date.now();

/**
 * Acknowledges alarms and returns the acknowledgement's id. It asks each member of a cluster for alerts, since members do not
 * share alerts, and sends the silence to one that answered. Errors: a `CommandFailure`, also if the node or part has no alarm.
 */
export const acknowledge = async (
  urls: ReadonlyArray<URL>,
  acknowledgement: Omit<Acknowledgement, 'id'>,
  signal: AbortSignal,
): Promise<string> => {
  const { node, part, at: startsAt, until: endsAt, by: createdBy, comment } = acknowledgement;
  const filter = `node="${node}"`;
  const asking = Promise.allSettled(
    urls.map(async (url) => ({ url, found: await ask(url, 'alerts', alerts, { filter }) })),
  );
  const answers = await unlessInterrupted(signal, asking);
  const [taker, ...others] = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (taker === undefined) throw answers.find((one) => one.status === 'rejected')?.reason;
  const inAlarm = [taker, ...others]
    .flatMap(({ found }) => found.map((alert) => alert.labels))
    .filter(({ alertname = '' }) => OF_NODES.includes(alertname));
  const parts = [...new Set(inAlarm.flatMap((of) => of.part ?? []))];
  if (part === null ? inAlarm.length === 0 : !parts.includes(part)) {
    const of = parts.length === 0 ? 'none of its parts is' : `of its parts these are: ${parts.sort().join(', ')}`;
    throw unusable(`${part === null ? node : `${part} of ${node}`} is not in alarm; ${of}`);
  }
  const body = { matchers: matchersOf(acknowledgement), startsAt, endsAt, createdBy, comment };
  const sending = ask(taker.url, 'silences', taken, { body }).catch((thrown: unknown) => {
    if (!(thrown instanceof CommandFailure) || thrown.exitCode !== exitCodes.notReachable) throw thrown;
    throw new CommandFailure(thrown.exitCode, [...thrown.lines, 'pas ack --list shows whether it was acknowledged']);
  });
  return (await unlessInterrupted(signal, sending)).silenceID;
};

const OF_NODES: ReadonlyArray<string> = [alertNames.alarm, alertNames.silent];

/** Ends an acknowledgement. Errors: it throws a `CommandFailure`, also for an unknown id, and for one that has ended. */
export const endAcknowledgement = async (urls: ReadonlyArray<URL>, id: string, signal: AbortSignal): Promise<void> => {
  const ending = atFirst(urls, async (url) => {
    const found = (await readSilences(url)).find((one) => one.id === id);
    const [acknowledgement] = found === undefined ? [] : acknowledgementOf(found);
    const at = alertmanagerAt(url);
    if (found === undefined) throw unusable(`--end ${id}: ${at} knows no such acknowledgement`);
    if (acknowledgement === undefined) throw unusable(`--end ${id}: this silence at ${at} is no acknowledgement`);
    if (!lasts(acknowledgement)) throw unusable(`--end ${id}: it ended at ${acknowledgement.until}`);
    const answer = await answerOf(url, `silence/${id}`, { method: 'DELETE' });
    if (answer.text !== '') throw notReachable(at, `something else answers: ${answerInWords(answer)}`);
  });
  await unlessInterrupted(signal, ending);
};

/** The answer of the first member that gives one. Errors: if none does, it rejects with the first member's failure. */
const atFirst = async <A>(urls: ReadonlyArray<URL>, ask: (url: URL) => Promise<A>): Promise<A> => {
  const failures: unknown[] = [];
  for (const url of urls)
    try {
      return await ask(url);
    } catch (thrown) {
      failures.push(thrown);
    }
  throw failures[0];
};

const readSilences = (url: URL): Promise<ReadonlyArray<Silence>> => ask(url, 'silences', silences, {});

type Asked = Omit<Parameters<typeof call>[2], 'withinMs' | 'mostBytes'>;

/** Calls Alertmanager and decodes its answer, which must be a 200 without a redirect. Errors: it throws a `CommandFailure`. */
const ask = async <A>(url: URL, name: string, codec: c.Codec<A>, asked: Asked): Promise<A> => {
  const { json } = await answerOf(url, name, asked);
  const decoded = c.decode(codec, c.withoutUnknown(codec.schema, json));
  if (E.isRight(decoded)) return decoded.right;
  const [{ name: at, reason } = { name: '', reason: '' }] = decoded.left;
  throw notReachable(alertmanagerAt(url), `something else answers: ${at === '' ? 'it' : at} ${reason}`);
};

const answerOf = async (url: URL, name: string, asked: Asked) => {
  const at = alertmanagerAt(url);
  const how = { ...asked, withinMs: ANSWERS_WITHIN_MS, mostBytes: MOST_BYTES };
  const answer = await call(url, name, how).catch((thrown: unknown) => {
    throw notReachable(at, reasonOf(thrown));
  });
  if (DENIED.includes(answer.status)) throw accessDenied(at, `it answers ${answer.status}`);
  if (isRefusal(answer)) throw new CommandFailure(exitCodes.someFailed, [`${at} ${answerInWords(answer)}`]);
  if (answer.status !== 200) throw notReachable(at, `it ${answerInWords(answer)}`);
  return answer;
};

/** The acknowledgements of a node for a table: `overall by mary until 2026-01-31T14:00Z`. */
export const acknowledgedCell = (lasting: ReadonlyArray<Acknowledgement>, nodeId: string): string =>
  lasting
    .filter(({ node }) => node === nodeId)
    .map(({ part, by, until }) => `${part === null ? '' : `${part} `}by ${by} until ${minuteOf(until)}`)
    .map(printable)
    .join('; ');

/** An instant to the minute, such as `2026-01-31T14:00Z`. */
export const minuteOf = (instant: string): string => `${new Date(c.epochMsOf(instant)).toISOString().slice(0, 16)}Z`;

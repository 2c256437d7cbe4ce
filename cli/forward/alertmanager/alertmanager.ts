import * as E from 'fp-ts/Either';
import * as J from 'fp-ts/Json';
import { boundedText } from '../../../process/bounded-text';
import { reasonOf } from '../../../process/reason-of';
import { isRecord } from '../../../workflows/domain/codecs';
import { accessDenied, DENIED, notReachable, unusable, type CommandFailure } from '../../failure';
import type { Alert } from './alert';

const ANSWERS_WITHIN_MS = 5_000;
const MOST_BYTES = 1_048_576;
/** Size limit (bytes) of the status, which holds Alertmanager's configuration, with perhaps thousands of receivers. */
const MOST_BYTES_OF_STATUS = 64 * MOST_BYTES;
/** Most alerts per call, as in Prometheus. */
export const MOST_ALERTS = 256;
const TOO_LARGE = 413;
/** HTTP statuses by which Alertmanager refuses alerts as invalid. The body of such a refusal is JSON. */
const INVALID = [400, 422];
/** HTTP statuses below 500 after which a later try may succeed. From 500 on, it always may. */
const PASSING = [408, 425, 429];

/** Checks the Alertmanagers of a cluster. Errors: it throws a `CommandFailure` if none of them can be used. */
export const checkAlertmanagers = async (urls: ReadonlyArray<URL>): Promise<void> => {
  const failures = (await Promise.all(urls.map(checkOne))).filter((failure) => failure !== undefined);
  if (failures.length === urls.length && failures[0] !== undefined) throw failures[0];
};

/**
 * Sends alerts to all members of a cluster, within `withinMs`. If a member refuses an alert that was sent alone, the refusal is
 * reported with the node and counted, and the other alerts are still sent. Rejects if the calls to all members failed.
 */
export const sendToAll =
  (urls: ReadonlyArray<URL>, report: (line: string) => void, countRefused: (alerts: number) => void) =>
  async (alerts: ReadonlyArray<Alert>, withinMs: number): Promise<void> => {
    const until = performance.now() + withinMs;
    const sent = await Promise.allSettled(urls.map((url) => sendTo(url, alerts, until)));
    for (const { alert, reason } of sent.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))) {
      countRefused(1);
      report(`an alert of ${alert.labels['node'] ?? ''} is set aside: ${reason}`);
    }
    const failed = sent.flatMap((one) => (one.status === 'rejected' ? [reasonOf(one.reason)] : []));
    if (failed.length === urls.length) throw new Error(failed[0]);
    for (const reason of failed) report(reason);
  };

export const alertmanagerAt = (url: URL): string => `Alertmanager at ${url.host}`;

/** Why the Alertmanager cannot be used; undefined if it can. */
const checkOne = async (url: URL): Promise<CommandFailure | undefined> => {
  const at = alertmanagerAt(url);
  try {
    const answer = await call(url, 'status', { withinMs: ANSWERS_WITHIN_MS, mostBytes: MOST_BYTES_OF_STATUS });
    const { status, json } = answer;
    if (status === 200 && isRecord(json) && 'versionInfo' in json) return undefined;
    if (DENIED.includes(status)) return accessDenied(at, `it answers ${status}`);
    if (status >= 500 || PASSING.includes(status)) return notReachable(at, `it answers ${status}`);
    return unusable(`${at} has no API v2: ${endpoint(url, 'status').pathname} ${answerInWords(answer)}`);
  } catch (thrown) {
    return notReachable(at, reasonOf(thrown));
  }
};

interface Refused {
  readonly alert: Alert;
  readonly reason: string;
}

/**
 * Sends alerts, and returns those that are refused even when sent alone. If several alerts are refused as invalid or too large,
 * it sends each half separately. Rejects if a call fails in another way. Only a 200 without a body shows that Alertmanager took
 * the alerts, because a redirect, a proxy's page or a wrong path answers otherwise.
 */
const sendTo = async (url: URL, alerts: ReadonlyArray<Alert>, until: number): Promise<ReadonlyArray<Refused>> => {
  const [first] = alerts;
  if (first === undefined) return [];
  if (alerts.length <= MOST_ALERTS) {
    const at = alertmanagerAt(url);
    const withinMs = Math.min(until - performance.now(), ANSWERS_WITHIN_MS);
    const answer = await call(url, 'alerts', { withinMs, body: alerts }).catch((thrown: unknown) => {
      throw new Error(`${at} does not answer: ${reasonOf(thrown)}`);
    });
    if (answer.status === 200 && answer.text === '') return [];
    if (!isRefusal(answer)) throw new Error(`${at} ${answerInWords(answer)}`);
    if (alerts.length === 1) return [{ alert: first, reason: `${at} ${answerInWords(answer)}` }];
  }
  const half = Math.min(MOST_ALERTS, Math.ceil(alerts.length / 2));
  const refused = await sendTo(url, alerts.slice(0, half), until);
  return [...refused, ...(await sendTo(url, alerts.slice(half), until))];
};

/** Whether the answer refuses a request: as invalid, by Alertmanager itself, or as too large, perhaps by a proxy. */
export const isRefusal = ({ status, json }: Answer): boolean =>
  status === TOO_LARGE || (INVALID.includes(status) && json !== undefined);

interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
}

const SHOWN = 200;

export const answerInWords = ({ status, location, text }: Answer): string =>
  `answers ${status}${location === null ? '' : `, a redirect to ${location}`}${text === '' ? '' : `: ${text.slice(0, SHOWN)}`}`;

interface Call {
  readonly withinMs: number;
  /** By default POST with a body, and GET without one. */
  readonly method?: string;
  readonly body?: unknown;
  readonly filter?: string;
  readonly mostBytes?: number;
}

/** Calls the API v2; credentials in `url` become basic authentication. Rejects if the call takes longer than `withinMs`. */
export const call = async (
  url: URL,
  name: string,
  { withinMs, body, method = body === undefined ? 'GET' : 'POST', filter, mostBytes = MOST_BYTES }: Call,
): Promise<Answer> => {
  if (withinMs < 1) throw new Error('no time is left for this call');
  const { username, password } = url;
  const credentials = `${typed(username)}:${typed(password)}`;
  const headers = {
    ...(username !== '' && { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const sent = { headers, method, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const signal = AbortSignal.timeout(Math.floor(withinMs));
  const response = await fetch(endpoint(url, name, filter), { ...sent, redirect: 'manual', signal });
  const text = await boundedText(response, mostBytes);
  return {
    status: response.status,
    location: response.headers.get('location'),
    text,
    json: E.getOrElseW(() => undefined)(J.parse(text)),
  };
};

/** Decodes a part of a URL. Returns it unchanged if it has a `%` that begins no valid escape. */
const typed = (part: string): string => E.getOrElse(() => part)(E.tryCatch(() => decodeURIComponent(part), String));

/** The address of an endpoint, below the path of `url`, because a proxy may serve Alertmanager below a path. */
const endpoint = (url: URL, name: string, filter?: string): URL => {
  const at = new URL(url);
  at.username = '';
  at.password = '';
  at.pathname = `${at.pathname.replace(/\/+$/u, '')}/api/v2/${name}`;
  if (filter !== undefined) at.searchParams.append('filter', filter);
  return at;
};

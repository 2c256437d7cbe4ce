import * as E from 'fp-ts/Either';
import * as J from 'fp-ts/Json';
import { boundedText } from '../../../process/bounded-text';
import { reasonOf } from '../../../process/reason-of';
import { isRecord } from '../../../workflows/domain/codecs';
import { accessDenied, DENIED, notReachable, unusable, type CommandFailure } from '../../failure';
import type { Alert } from './alert';

const ANSWERS_WITHIN_MS = 5_000;
const MOST_BYTES = 1_048_576;
/** Alerts of one call, as many as Prometheus sends. */
export const MOST_ALERTS = 256;
const TOO_LARGE = 413;
/** Statuses by which Alertmanager says that alerts are invalid; its body then is JSON. */
const INVALID = [400, 422];
/** Refusals by which a later try may succeed, beside those from 500 on. */
const PASSING = [408, 425, 429];

/** Checks the Alertmanagers of a cluster. Errors: it throws a `CommandFailure` where none of them can be used. */
export const checkAlertmanagers = async (urls: ReadonlyArray<URL>): Promise<void> => {
  const failures = (await Promise.all(urls.map(checkOne))).filter((failure) => failure !== undefined);
  if (failures.length === urls.length && failures[0] !== undefined) throw failures[0];
};

/**
 * Sends alerts to all of a cluster, `withinMs` at most. An alert that is refused even alone is reported by its node and counted,
 * and does not hold up the others. Rejects where none of the cluster takes the rest.
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

/** Why the Alertmanager cannot be used; undefined where it can. */
const checkOne = async (url: URL): Promise<CommandFailure | undefined> => {
  const at = alertmanagerAt(url);
  try {
    const answer = await call(url, 'status', performance.now() + ANSWERS_WITHIN_MS);
    const { status, json } = answer;
    if (status === 200 && isRecord(json) && 'versionInfo' in json) return undefined;
    if (DENIED.includes(status)) return accessDenied(at, `it answers ${status}`);
    if (status >= 500 || PASSING.includes(status)) return notReachable(at, `it answers ${status}`);
    return unusable(`${at} has no API v2: ${endpoint(url, 'status').pathname} ${inWords(answer)}`);
  } catch (thrown) {
    return notReachable(at, reasonOf(thrown));
  }
};

interface Refused {
  readonly alert: Alert;
  readonly reason: string;
}

/**
 * Sends alerts, and yields those that are refused even alone: where a call is refused as invalid, or as too large, each half of
 * its alerts is sent apart. Rejects where a later try may succeed: only 200 without a body, from this very address, is
 * Alertmanager's "taken"; a redirect, a proxy's page and a wrong path are not.
 */
const sendTo = async (url: URL, alerts: ReadonlyArray<Alert>, until: number): Promise<ReadonlyArray<Refused>> => {
  const [first] = alerts;
  if (first === undefined) return [];
  if (alerts.length <= MOST_ALERTS) {
    const at = alertmanagerAt(url);
    const answer = await call(url, 'alerts', until, JSON.stringify(alerts)).catch((thrown: unknown) => {
      throw new Error(`${at} does not answer: ${reasonOf(thrown)}`);
    });
    if (answer.status === 200 && answer.text === '') return [];
    if (!isRefusal(answer)) throw new Error(`${at} ${inWords(answer)}`);
    if (alerts.length === 1) return [{ alert: first, reason: `${at} ${inWords(answer)}` }];
  }
  const half = Math.min(MOST_ALERTS, Math.ceil(alerts.length / 2));
  const refused = await sendTo(url, alerts.slice(0, half), until);
  return [...refused, ...(await sendTo(url, alerts.slice(half), until))];
};

const isRefusal = ({ status, json }: Answer): boolean =>
  status === TOO_LARGE || (INVALID.includes(status) && json !== undefined);

interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly text: string;
  /** Undefined where the body is no JSON. */
  readonly json: unknown;
}

const SHOWN = 200;

const inWords = ({ status, location, text }: Answer): string =>
  `answers ${status}${location === null ? '' : `, a redirect to ${location}`}${text === '' ? '' : `: ${text.slice(0, SHOWN)}`}`;

/** Calls the API v2, until `until` at most; a user and password in `url` are sent as basic authentication. */
const call = async (url: URL, name: string, until: number, body?: string): Promise<Answer> => {
  const withinMs = Math.floor(Math.min(until - performance.now(), ANSWERS_WITHIN_MS));
  if (withinMs <= 0) throw new Error('no time is left for this call');
  const { username, password } = url;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers = {
    ...(username !== '' && { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const sent = body === undefined ? { headers } : { headers, method: 'POST', body };
  const signal = AbortSignal.timeout(withinMs);
  const response = await fetch(endpoint(url, name), { ...sent, redirect: 'manual', signal });
  const text = await boundedText(response, MOST_BYTES);
  return {
    status: response.status,
    location: response.headers.get('location'),
    text,
    json: E.getOrElseW(() => undefined)(J.parse(text)),
  };
};

/** Below the path of the URL, which a proxy may have. */
const endpoint = (url: URL, name: string): URL => {
  const at = new URL(url);
  at.username = '';
  at.password = '';
  at.pathname = `${at.pathname.replace(/\/+$/u, '')}/api/v2/${name}`;
  return at;
};

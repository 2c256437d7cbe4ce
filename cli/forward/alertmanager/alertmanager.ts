import { reasonOf } from '../../../process/reason-of';
import { accessDenied, DENIED, notReachable, unusable, type CommandFailure } from '../../failure';
import type { Alert } from './alert';

const ANSWERS_WITHIN_MS = 5_000;
/** Refusals by which a later try may succeed. */
const PASSING = [408, 425, 429];

/** Checks the Alertmanagers of a cluster. Errors: it throws a `CommandFailure` where none of them can be used. */
export const checkAlertmanagers = async (urls: ReadonlyArray<URL>): Promise<void> => {
  const failures = (await Promise.all(urls.map(checkOne))).filter((failure) => failure !== undefined);
  if (failures.length === urls.length && failures[0] !== undefined) throw failures[0];
};

/**
 * Sends alerts to all of a cluster, `withinMs` at most. What one refuses as invalid is reported and not sent again. Rejects where
 * none takes them.
 */
export const sendToAll =
  (urls: ReadonlyArray<URL>, report: (line: string) => void) =>
  async (alerts: ReadonlyArray<Alert>, withinMs: number): Promise<void> => {
    const sent = await Promise.allSettled(urls.map((url) => sendTo(url, alerts, withinMs, report)));
    const failed = sent.flatMap((one) => (one.status === 'rejected' ? [reasonOf(one.reason)] : []));
    if (failed.length === urls.length) throw new Error(failed[0]);
    for (const reason of failed) report(reason);
  };

export const alertmanagerAt = (url: URL): string => `Alertmanager at ${url.host}`;

/** Why the Alertmanager cannot be used; undefined where it can. */
const checkOne = async (url: URL): Promise<CommandFailure | undefined> => {
  const at = alertmanagerAt(url);
  try {
    const { ok, status } = await call(url, 'status', ANSWERS_WITHIN_MS);
    if (ok) return undefined;
    if (DENIED.includes(status)) return accessDenied(at, `it answers ${status}`);
    return unusable(`${at} has no API v2: ${endpoint(url, 'status').pathname} answers ${status}`);
  } catch (thrown) {
    return notReachable(at, reasonOf(thrown));
  }
};

const sendTo = async (url: URL, alerts: ReadonlyArray<Alert>, withinMs: number, report: (line: string) => void) => {
  const at = alertmanagerAt(url);
  const { ok, status, text } = await call(url, 'alerts', withinMs, JSON.stringify(alerts)).catch((thrown: unknown) => {
    throw new Error(`${at} does not answer: ${reasonOf(thrown)}`);
  });
  if (ok) return;
  if (status < 400 || status >= 500 || DENIED.includes(status) || PASSING.includes(status))
    throw new Error(`${at} answers ${status}`);
  report(`${at} refuses alerts: ${status} ${text.slice(0, SHOWN)}`);
};

const SHOWN = 500;

/** Calls the API v2; a user and password in `url` are sent as basic authentication. */
const call = async (url: URL, name: string, withinMs: number, body?: string) => {
  const { username, password } = url;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers = {
    ...(username !== '' && { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const sent = body === undefined ? { headers } : { headers, method: 'POST', body };
  const signal = AbortSignal.timeout(Math.min(withinMs, ANSWERS_WITHIN_MS));
  const response = await fetch(endpoint(url, name), { ...sent, signal });
  return { ok: response.ok, status: response.status, text: await response.text() };
};

/** Below the path of the URL, which a proxy may have. */
const endpoint = (url: URL, name: string): URL => {
  const at = new URL(url);
  at.username = '';
  at.password = '';
  at.pathname = `${at.pathname.replace(/\/+$/u, '')}/api/v2/${name}`;
  return at;
};

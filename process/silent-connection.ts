import { pause } from './backoff';

/** How often (ms) a connection to Temporal is asked whether it still answers. */
const ASKED_EVERY_MS = 1_000;

/** Time (ms) after which a connection without an answer counts as silent. */
export const SILENT_MS = 2_000;

export interface WatchedConnection<Connection> {
  readonly connection: Connection;
  /** Opens another connection to the same address. */
  readonly connect: () => Promise<Connection>;
  /** Asks Temporal something; true if no answer came within `SILENT_MS`. */
  readonly isSilent: (connection: Connection) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/**
 * Waits until `connection` is silent while a new connection to the same address answers. Returns the new one, at most six
 * seconds after the silence began; undefined once `signal` aborts. If neither connection answers, the old one stays.
 *
 * A host that lost its power or its network leaves its connections open. gRPC's keep-alive is too slow to notice: Temporal's
 * server cuts a connection that is pinged more often than every ten seconds, and a call has a deadline of ten seconds.
 */
export const waitForReplacement = async <Connection extends { readonly close: () => Promise<void> }>({
  connection,
  connect,
  isSilent,
  signal,
}: WatchedConnection<Connection>): Promise<Connection | undefined> => {
  const isAborted = (): boolean => signal.aborted;
  while (!isAborted()) {
    await pause(ASKED_EVERY_MS, signal);
    if (isAborted() || !(await isSilent(connection)) || isAborted()) continue;
    const other = await connect().catch(() => undefined);
    if (other === undefined) continue;
    if ((await isSilent(connection)) && !(await isSilent(other)) && !isAborted()) return other;
    await other.close().catch(() => undefined); // a broken one has nothing left to close
  }
  return undefined;
};

import { TOO_LONG, type Peer } from './peers';

/**
 * What becomes of a call that met a peer.
 *
 * once:  it counts as done, and is not sent again.
 * later: it does not count, and is sent again by itself.
 * aside: it does not count; its sender is told so by name, and keeps it.
 */
export type Fate = 'once' | 'later' | 'aside';

const isGiven = ({ status = 0 }: Peer, ...given: ReadonlyArray<number>): boolean => given.includes(status);

/** `pas forward alertmanager`: Alertmanager answers 200 without a body. Its refusals are JSON; proxies refuse by size. */
export const ofAlerts = (peer: Peer): Fate => {
  if (isGiven(peer, 200) && peer.body === 'none') return 'once';
  if (isGiven(peer, 413)) return 'aside'; // of one alert; more are split
  return isGiven(peer, 400, 422) && peer.body === 'problem' ? 'aside' : 'later';
};

/** The readers' work orders: a maintenance system answers 2xx, with a body of its own that is no page for people. */
export const ofOrders = ({ status = 0, body }: Peer): Fate =>
  status >= 200 && status < 300 && body !== 'page' ? 'once' : 'later';

/**
 * The callers, in a write that gets 204: they repeat what may pass, and give back the rest. So they do at once where the answer
 * asks for a longer wait than they have: their user repeats the write.
 */
export const ofWrites = (peer: Peer): Fate => {
  if (isGiven(peer, 204)) return 'once';
  if (peer.name.endsWith(TOO_LONG)) return 'aside';
  return peer.status === undefined || isGiven(peer, 408, 429, 502, 503, 504) ? 'later' : 'aside';
};

import { pause } from '../../../process/backoff';
import type { Log } from '../../../process/log';
import { reasonOf } from '../../../process/reason-of';
import { STATUS_ATTRIBUTE } from '../../../workflows/messages';
import { classifyError } from './classify-error';

/** Starts a node, with the search attribute where the cluster takes it. */
export type StatusAttribute = <A>(start: (searchAttributes: boolean) => Promise<A>) => Promise<A>;

/** A cluster knows a new search attribute after this (ms) at the latest. */
const KNOWN_AFTER_MS = 5_000;
const PAUSE_MS = 250;

/**
 * Starts nodes with the search attribute. A cluster that is new may not know it yet: that is waited for. Where it does not
 * know it then, nodes are started without: they cannot be found by their status, and take calls all the same.
 */
export const patientAttribute = ({
  searchAttributes,
  log,
}: {
  readonly searchAttributes: boolean;
  readonly log: Log;
}): StatusAttribute => {
  let refusedSince: number | undefined;
  return async (start) => {
    for (;;) {
      try {
        const answer = await start(searchAttributes);
        refusedSince = undefined;
        return answer;
      } catch (error) {
        if (!searchAttributes || !isAttributeRefused(error)) throw error;
        if (refusedSince === undefined)
          log.warn({ attribute: STATUS_ATTRIBUTE, reason: reasonOf(error) }, 'the search attribute is refused');
        refusedSince ??= Date.now();
        if (Date.now() - refusedSince > KNOWN_AFTER_MS) return start(false);
        await pause(PAUSE_MS);
      }
    }
  };
};

const isAttributeRefused = (error: unknown): boolean => {
  const { kind, mayHaveReached, reason } = classifyError(error);
  return kind === 'final' && !mayHaveReached && reason.includes(`search attribute ${STATUS_ATTRIBUTE}`);
};

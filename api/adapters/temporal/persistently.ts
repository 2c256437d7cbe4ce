import * as E from 'fp-ts/Either';
import { troubleOf, type Trouble } from './trouble';

/** How long Temporal may be away before a call is given up. */
const PATIENCE_MS = 2_300;

/** The longest pauses (ms) while a node renews, which takes groups for 2 s at a time if signals come without end; and else. */
const MOST_PASSING_MS = 400;
const MOST_AWAY_MS = 1_000;

/** Why a call was given up: the last trouble, and whether any of the tries may have been carried out. */
export type GivenUp = Trouble;

/**
 * Tries `attempt` until it answers, the deadline `until` (epoch ms) passes, or another try is not worth it.
 *
 * The pauses grow from milliseconds: most troubles are a node that starts its next run and takes calls again at once
 * (docs/reliability.md, "Renewal"). The client's own retries would wait a second there.
 */
export const persistently = async <A>(attempt: () => Promise<A>, until: number): Promise<E.Either<GivenUp, A>> => {
  let mayHaveReached = false;
  let awaySince: number | undefined;
  for (let tries = 0; ; tries += 1) {
    try {
      return E.right(await attempt());
    } catch (error) {
      const trouble = troubleOf(error);
      mayHaveReached ||= trouble.mayHaveReached;
      awaySince = trouble.kind === 'away' ? (awaySince ?? Date.now()) : undefined;
      const pause = pauseAfter(tries, trouble.kind === 'passing' ? MOST_PASSING_MS : MOST_AWAY_MS);
      const end = Math.min(until, (awaySince ?? Infinity) + PATIENCE_MS);
      if (trouble.kind === 'late' || trouble.kind === 'final' || Date.now() + pause > end) {
        return E.left({ ...trouble, mayHaveReached });
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
};

const pauseAfter = (tries: number, most: number): number => Math.min(most, 8 * 1.7 ** tries) * (0.5 + Math.random());

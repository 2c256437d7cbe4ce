import * as E from 'fp-ts/Either';
import type { Trouble } from '../trouble';
import { attempt, type Call, type Caller } from './attempt';
import { pause } from './pauses';

export interface Patience {
  /** How long after the first try others may begin, in ms. */
  readonly ms: number;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/**
 * Calls again while the API has no time or does not answer, as it asks by Retry-After. A write goes out under the same key
 * each time, so it counts once.
 */
export const persistently = async (
  caller: Caller,
  call: Call,
  { ms, signal }: Patience,
): Promise<E.Either<Trouble, unknown>> => {
  const end = performance.now() + ms;
  for (let tries = 0; ; tries += 1) {
    const answer = await attempt(caller, call, tries);
    if (E.isRight(answer)) return answer;
    const { trouble, againAfterMs } = answer.left;
    if (againAfterMs === undefined || signal.aborted || performance.now() + againAfterMs > end) return E.left(trouble);
    await pause(againAfterMs, signal);
  }
};

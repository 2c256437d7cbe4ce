import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import type { Log } from '../../../process/log';
import type { Outage, Permission } from '../../ports';
import { decisionsIn } from './answers';
import type { DecisionMetrics } from './decision-metrics';
import type { NoAnswer, Poster } from './poster';
import { questionOf, type Question } from './questions';

/** Whether the user has each of `wanted`, in their order; `wanted` is not empty. */
export type Ask = (userId: string, wanted: ReadonlyArray<Permission>) => TE.TaskEither<Outage, ReadonlyArray<boolean>>;

export interface AskOptions {
  readonly poster: Poster;
  readonly metrics: Pick<DecisionMetrics, 'asked'>;
  readonly log: Log;
}

const away: Outage = { _tag: 'Unavailable', part: 'The decision point', retryAfter: 2, mayHaveChanged: false };

/** Asks the decision point: one message, whatever the number of permissions. It logs when an endpoint goes away and when it is back. */
export const createAsk = ({ poster, metrics, log }: AskOptions): Ask => {
  const silent = new Set<Question['endpoint']>();
  const told = (endpoint: Question['endpoint']) =>
    E.match(
      ({ outcome, reason }: NoAnswer) => {
        if (!silent.has(endpoint)) log.warn({ endpoint, outcome, reason }, 'the decision point is away');
        silent.add(endpoint);
      },
      () => {
        if (silent.delete(endpoint)) log.info({ endpoint }, 'the decision point is back');
      },
    );
  return (userId, wanted) => () => {
    const { endpoint, path, body } = questionOf(userId, wanted);
    const began = performance.now();
    return pipe(
      poster.post(path, body),
      TE.chainEitherK((bytes) => decisionsIn(endpoint, wanted.length, bytes)),
      T.map((answer) => {
        const outcome = E.isRight(answer) ? 'answered' : answer.left.outcome;
        metrics.asked(endpoint, outcome, (performance.now() - began) / 1_000);
        told(endpoint)(answer);
        return answer;
      }),
      TE.mapLeft(() => away),
    )();
  };
};

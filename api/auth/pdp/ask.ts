import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import type { Log } from '../../../process/log';
import type { Outage, Permission } from '../../ports';
import { decisionsIn } from './answers';
import type { DecisionMetrics } from './decision-metrics';
import type { NoAnswer, HttpClient } from './http-client';
import { questionOf, type Question } from './questions';

/** Whether the user has each of `wanted`, in their order; `wanted` is not empty. */
export type Ask = (userId: string, wanted: ReadonlyArray<Permission>) => TE.TaskEither<Outage, ReadonlyArray<boolean>>;

export interface AskOptions {
  readonly httpClient: HttpClient;
  readonly metrics: Pick<DecisionMetrics, 'asked'>;
  readonly log: Log;
}

const unavailable: Outage = {
  _tag: 'Unavailable',
  dependency: 'The policy decision point',
  retryAfter: 2,
  mayHaveChanged: false,
};

/** Asks the PDP: one message, whatever the number of permissions. It logs when an endpoint becomes unavailable or available. */
export const createAsk = ({ httpClient, metrics, log }: AskOptions): Ask => {
  const silent = new Set<Question['endpoint']>();
  const report = (endpoint: Question['endpoint']) =>
    E.match(
      ({ outcome, reason }: NoAnswer) => {
        if (!silent.has(endpoint)) log.warn({ endpoint, outcome, reason }, 'the policy decision point is unavailable');
        silent.add(endpoint);
      },
      () => {
        if (silent.delete(endpoint)) log.info({ endpoint }, 'the policy decision point is available');
      },
    );
  return (userId, wanted) => () => {
    const { endpoint, path, body } = questionOf(userId, wanted);
    const began = performance.now();
    return pipe(
      httpClient.post(path, body),
      TE.chainEitherK((bytes) => decisionsIn(endpoint, wanted.length, bytes)),
      T.map((answer) => {
        const outcome = E.isRight(answer) ? 'answered' : answer.left.outcome;
        metrics.asked(endpoint, outcome, (performance.now() - began) / 1_000);
        report(endpoint)(answer);
        return answer;
      }),
      TE.mapLeft(() => unavailable),
    )();
  };
};

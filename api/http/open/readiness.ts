import { described, object, oneOf } from '../../../workflows/domain/codecs';
import { unavailableOf } from '../../../process/dependencies';
import { answerProblem, answerWith } from '../pipeline/respond';
import type { ReadinessCheck } from '../../ports';
import { problem, type Problem } from '../problems/problem';
import { problems, withoutToken } from '../../routes/answers';
import type { OpenRoute } from './open-route';

/** Seconds until another check is worth it. */
const RETRY_AFTER = '1';

/** The body of `/readyz` where the process is ready. */
export const ReadinessView = object(
  'Readiness',
  { status: described(oneOf('health', ['ok']), 'Every dependency answers.') },
  {},
);

/** Whether the process should get calls: every dependency answers, and it is not stopping. */
export const readiness = (checks: ReadonlyArray<ReadinessCheck>, isStopping: () => boolean): OpenRoute => ({
  id: 'readiness',
  summary: 'Whether the process should get calls',
  path: '/readyz',
  answers: {
    200: {
      description: 'Every dependency of the service answers.',
      mediaType: 'application/json',
      codec: ReadinessView,
      example: { status: 'ok' },
    },
    ...problems(...withoutToken, 'unavailable'),
  },
  answer: async (ctx) => {
    const silent = isStopping() ? [] : await unavailableOf(checks);
    if (isStopping()) answerProblem(ctx, notReady('The process is stopping.', []));
    else if (silent.length > 0) answerProblem(ctx, notReady(`No answer from: ${silent.join(', ')}.`, silent));
    else answerWith(ctx, { status: 200, body: { status: 'ok' } });
  },
});

const notReady = (detail: string, dependencies: ReadonlyArray<string>): Problem =>
  problem('unavailable', detail, { mayHaveChanged: false, dependencies }, { 'Retry-After': RETRY_AFTER });

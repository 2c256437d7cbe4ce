import { silentOf } from '../../../process/part-states';
import { answerProblem, answerWith } from '../pipeline/respond';
import type { ReadinessCheck } from '../../ports';
import { problem, type Problem } from '../problems/problem';
import { problems, withoutToken } from '../../routes/answers';
import { ReadinessView } from './health-view';
import type { OpenRoute } from './open-route';

/** Seconds until the parts are worth another look. */
const RETRY_AFTER = '1';

/** Whether the process should get calls: every part of `checks` answers, and it is not about to stop. */
export const readiness = (checks: ReadonlyArray<ReadinessCheck>, isStopping: () => boolean): OpenRoute => ({
  id: 'readiness',
  summary: 'Whether the process should get calls',
  path: '/readyz',
  answers: {
    200: {
      description: 'Every part that the service stands on answers.',
      mediaType: 'application/json',
      codec: ReadinessView,
      example: { status: 'ok' },
    },
    ...problems(...withoutToken, 'unavailable'),
  },
  answer: async (ctx) => {
    const silent = isStopping() ? [] : await silentOf(checks);
    if (isStopping()) answerProblem(ctx, notReady('The process is stopping.', []));
    else if (silent.length > 0) answerProblem(ctx, notReady(`No answer from: ${silent.join(', ')}.`, silent));
    else answerWith(ctx, { status: 200, body: { status: 'ok' } });
  },
});

const notReady = (detail: string, parts: ReadonlyArray<string>): Problem =>
  problem('unavailable', detail, { mayHaveChanged: false, parts }, { 'Retry-After': RETRY_AFTER });

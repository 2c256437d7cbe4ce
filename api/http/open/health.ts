import { answerWith } from '../pipeline/respond';
import { problems, withoutToken } from '../../routes/answers';
import { VERSION } from '../../../process/version';
import { HealthView } from './health-view';
import type { OpenRoute } from './open-route';

/** Whether the process lives, and its version. It asks nobody. */
export const health: OpenRoute = {
  id: 'health',
  summary: 'Whether the process lives',
  path: '/healthz',
  answers: {
    200: {
      description: 'It lives.',
      mediaType: 'application/json',
      codec: HealthView,
      example: { status: 'ok', version: VERSION },
    },
    ...problems(...withoutToken),
  },
  answer: (ctx) => {
    answerWith(ctx, { status: 200, body: { status: 'ok', version: VERSION } });
    return Promise.resolve();
  },
};

import type { Registry } from 'prom-client';
import { problems, withoutToken } from '../../routes/answers';
import type { OpenRoute } from './open-route';

/** The metrics of the process, in Prometheus' text format. */
export const metrics = (registry: Registry): OpenRoute => ({
  id: 'metrics',
  summary: 'What the process measured',
  path: '/metrics',
  answers: {
    200: {
      description: "Prometheus' text format.",
      mediaType: 'text/plain',
      example: 'process_start_time_seconds 1769853600\n',
    },
    ...problems(...withoutToken),
  },
  answer: async (ctx) => {
    ctx.set('Content-Type', registry.contentType);
    ctx.body = await registry.metrics();
  },
});

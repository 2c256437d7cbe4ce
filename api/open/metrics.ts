import type { Registry } from 'prom-client';
import { problems } from '../routes/answers';
import type { OpenRoute } from './open-route';

/** What the process measured, in Prometheus' text format. */
export const metrics = (registry: Registry): OpenRoute => ({
  id: 'metrics',
  summary: 'What the process measured',
  path: '/metrics',
  answers: { 200: { description: "Prometheus' text format.", mediaType: 'text/plain' }, ...problems(400, 500) },
  answer: async (ctx) => {
    ctx.set('Content-Type', registry.contentType);
    ctx.body = await registry.metrics();
  },
});

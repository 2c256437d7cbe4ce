import { answerWith } from '../pipeline/respond';
import { problems, withoutToken } from '../../routes/answers';
import type { OpenRoute } from './open-route';

/** The OpenAPI document that `documentOf` makes. */
export const openapi = (documentOf: () => Readonly<Record<string, unknown>>): OpenRoute => ({
  id: 'openapi',
  summary: 'This document',
  path: '/openapi.json',
  answers: {
    200: {
      description: 'An OpenAPI 3.1 document.',
      mediaType: 'application/json',
      example: { openapi: '3.1.0', info: { title: 'Point Alarm Service' } },
    },
    ...problems(...withoutToken),
  },
  answer: (ctx) => {
    answerWith(ctx, { status: 200, body: documentOf() });
    return Promise.resolve();
  },
});

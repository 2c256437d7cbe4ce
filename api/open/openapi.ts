import { answerWith } from '../pipeline/respond';
import { problems } from '../routes/answers';
import type { OpenRoute } from './open-route';

/** The OpenAPI document that `documentOf` makes. */
export const openapi = (documentOf: () => Readonly<Record<string, unknown>>): OpenRoute => ({
  id: 'openapi',
  summary: 'This document',
  path: '/openapi.json',
  answers: { 200: { description: 'An OpenAPI 3.1 document.', mediaType: 'application/json' }, ...problems(400, 500) },
  answer: (ctx) => {
    answerWith(ctx, { status: 200, body: documentOf() });
    return Promise.resolve();
  },
});

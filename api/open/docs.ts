import { problems } from '../routes/answers';
import type { OpenRoute } from './open-route';

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Point Alarm Service</title>
  </head>
  <body>
    <h1>Point Alarm Service</h1>
    <p>Every endpoint, body and answer: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
    <p><a href="/healthz">healthz</a>, <a href="/readyz">readyz</a>, <a href="/metrics">metrics</a></p>
  </body>
</html>
`;

/** A page for people. It fetches nothing and runs nothing. */
export const docs: OpenRoute = {
  id: 'docs',
  summary: 'A page for people',
  path: '/docs',
  answers: { 200: { description: 'An HTML page.', mediaType: 'text/html' }, ...problems(400, 500) },
  answer: (ctx) => {
    ctx.set(
      'Content-Security-Policy',
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    ctx.set('Content-Type', 'text/html; charset=utf-8');
    ctx.body = page;
    return Promise.resolve();
  },
};

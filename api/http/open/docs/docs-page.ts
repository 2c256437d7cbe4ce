import { problems, withoutToken } from '../../../routes/answers';
import type { OpenRoute } from '../open-route';

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Point Alarm Service</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
  </head>
  <body>
    <div id="page"><noscript><a href="/openapi.json">openapi.json</a></noscript></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/**
 * The content security policy of the page: this origin alone, and nothing inline. Swagger UI's style sheet embeds its
 * pictures as `data:`. It sets the styles of elements by script, which no policy restricts.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Swagger UI over `/openapi.json`: every endpoint, to read and to try out. */
export const docsPage: OpenRoute = {
  id: 'docs',
  summary: 'A page for people',
  path: '/docs',
  answers: {
    200: { description: 'An HTML page.', mediaType: 'text/html', example: '<!doctype html>' },
    ...problems(...withoutToken),
  },
  answer: (ctx) => {
    ctx.set({ 'Content-Security-Policy': policy, 'Content-Type': 'text/html; charset=utf-8' });
    ctx.body = page;
    return Promise.resolve();
  },
};

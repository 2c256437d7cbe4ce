import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { answerProblem, type PageRoute } from './answer';
import { problem } from '../contract/problems/problem';

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

/** The page's content security policy: this origin only, nothing inline. Swagger UI's style sheet has pictures as `data:`. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The script that starts Swagger UI in the page. It sends the document to no validator, and stores no pasted token. */
const startScript = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#page',
  presets: [SwaggerUIBundle.presets.apis],
  validatorUrl: null,
  persistAuthorization: false,
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
});
`;

/** Answers with a page that never changes. It is made once, and browsers revalidate it by its ETag. */
export const constantPage = (mediaType: string, content: string | Buffer): PageRoute['answer'] => {
  const bytes = Buffer.from(content);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return (ctx) => {
    ctx.set({ 'Cache-Control': 'no-cache', 'Content-Type': mediaType, ETag: etag });
    ctx.body = bytes;
    ctx.status = 200;
    if (ctx.fresh) ctx.status = 304;
  };
};

const SCRIPT = 'text/javascript; charset=utf-8';

/** The routes of Swagger UI, which shows `/openapi.json`: the page, and its files, which are read once at the start. */
export const docsRoutes = (): ReadonlyArray<PageRoute> => {
  const swaggerUi = dirname(require.resolve('swagger-ui-dist/package.json'));
  const installed = (name: string): Buffer => readFileSync(join(swaggerUi, name));
  const files = new Map([
    ['swagger-ui.css', constantPage('text/css; charset=utf-8', installed('swagger-ui.css'))],
    ['swagger-ui-bundle.js', constantPage(SCRIPT, installed('swagger-ui-bundle.js'))],
    ['favicon-32x32.png', constantPage('image/png', installed('favicon-32x32.png'))],
    ['start.js', constantPage(SCRIPT, startScript)],
  ]);
  const main = constantPage('text/html; charset=utf-8', page);
  return [
    {
      id: 'docs',
      path: '/docs',
      answer: (ctx) => {
        ctx.set('Content-Security-Policy', policy);
        return main(ctx);
      },
    },
    {
      id: 'docsFile',
      path: '/docs/:file',
      answer: (ctx) => {
        const file = files.get(ctx.params['file'] ?? '');
        if (file === undefined) answerProblem(ctx, problem('route-not-found', 'The page has no such file.'));
        else file(ctx);
      },
    },
  ];
};

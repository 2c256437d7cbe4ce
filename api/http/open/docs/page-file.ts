import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { problem } from '../../problems/problem';
import { answerProblem } from '../../pipeline/respond';
import { problems, withoutToken } from '../../../routes/answers';
import type { OpenRoute } from '../open-route';

/** A file in memory, and its ETag. */
interface PageFile {
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

const swaggerUi = dirname(require.resolve('swagger-ui-dist/package.json'));

const fileOf = (mediaType: string, bytes: Buffer): PageFile => ({
  mediaType,
  bytes,
  etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
});
const installed = (mediaType: string, name: string): readonly [string, PageFile] => [
  name,
  fileOf(mediaType, readFileSync(join(swaggerUi, name))),
];

/**
 * The files that the page loads, read once at the start. A name of a request is only looked up in this map. Browsers cache
 * the files and revalidate them by ETag.
 */
export const pageFile = (): OpenRoute => {
  const files: ReadonlyMap<string, PageFile> = new Map([
    installed(CSS, 'swagger-ui.css'),
    installed(SCRIPT, 'swagger-ui-bundle.js'),
    installed('image/png', 'favicon-32x32.png'),
    ['start.js', fileOf(SCRIPT, Buffer.from(startScript))],
  ]);
  return {
    id: 'docsFile',
    summary: 'A file of that page',
    path: '/docs/:file',
    parameters: { file: { description: 'The name of the file.', schema: { type: 'string', enum: [...files.keys()] } } },
    answers: {
      200: { description: 'The file.', headers: ['ETag'], mediaType: '*/*' },
      304: { description: 'The file that the caller has, by `If-None-Match`.', headers: ['ETag'] },
      ...problems(...withoutToken, 'route-not-found'),
    },
    answer: (ctx) => {
      const file = files.get(ctx.params['file'] ?? '');
      if (file === undefined) {
        answerProblem(ctx, problem('route-not-found', 'The page has no such file.'));
      } else {
        ctx.set({ 'Cache-Control': 'no-cache', 'Content-Type': file.mediaType, ETag: file.etag });
        ctx.body = file.bytes;
        ctx.status = 200;
        if (ctx.fresh) ctx.status = 304;
      }
      return Promise.resolve();
    },
  };
};

/**
 * The script that starts Swagger UI in the page.
 *
 * Decision: no validator gets the document, and a pasted token is not stored.
 */
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

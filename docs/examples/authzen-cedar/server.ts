import { statSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { answerTo, type Answered, type Decide } from './authzen';
import { createDecider, type DeciderFiles } from './cedar';

// Avoids a crash of Node 20 ("unreachable code"), which V8 can cause when it deoptimizes code during a call of WebAssembly.
setFlagsFromString('--no-turbo-inline-js-wasm-calls');

/** An example policy decision point of AuthZEN 1.0, to copy. Start it by `npx tsx docs/examples/authzen-cedar/server.ts`. */
const main = (): void => {
  const { GRANTS_FILE, HIERARCHY_FILE, AUTHZEN_PORT = '3592', AUTHZEN_TOKEN } = process.env;
  const files: DeciderFiles = {
    hierarchy: HIERARCHY_FILE ?? join(__dirname, 'hierarchy.json'),
    grants: GRANTS_FILE ?? join(__dirname, 'grants.json'),
    policies: join(__dirname, 'policies.cedar'),
    schema: join(__dirname, 'schema.cedarschema'),
  };
  const decider = watchedDecider(files);
  const server = createServer((request, response) => {
    void answerOf(request, AUTHZEN_TOKEN, decider()).then(({ status, body }) => {
      const requestId = request.headers['x-request-id'];
      response.writeHead(status, {
        'Content-Type': 'application/json',
        ...(typeof requestId === 'string' && { 'X-Request-Id': requestId }),
      });
      response.end(JSON.stringify(body));
    });
  });
  server.listen(Number(AUTHZEN_PORT), '127.0.0.1', () => {
    console.log(`AUTHORIZER_URL=http://127.0.0.1:${AUTHZEN_PORT}`);
  });
};

/** Decides by the current files. If a new version of them is refused, it reports why and goes on with the version before. */
const watchedDecider = (files: DeciderFiles): (() => Decide) => {
  let seen = versionOf(files);
  let decide = createDecider(files);
  setInterval(() => {
    const version = versionOf(files);
    if (version === seen) return;
    seen = version;
    try {
      decide = createDecider(files);
      console.log('the files are read again');
    } catch (error) {
      console.error('the files are refused:', error);
    }
  }, 500).unref();
  return () => decide;
};

/** Text that differs after a change of any file. Take it before reading the files, so that no change is missed. */
const versionOf = (files: DeciderFiles): string =>
  Object.values<string>({ ...files })
    .map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }))
    .map((file) => `${file?.ino} ${file?.ctimeNs}`)
    .join();

const MOST_BYTES = 1_048_576;

const answerOf = async (request: IncomingMessage, token: string | undefined, decide: Decide): Promise<Answered> => {
  if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
    return { status: 401, body: { error: 'the token is missing or wrong' } };
  if (request.method !== 'POST') return { status: 405, body: { error: 'only POST is taken' } };
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) return { status: 413, body: { error: `a body has at most ${MOST_BYTES} bytes` } };
      chunks.push(chunk);
    }
    const [path = ''] = (request.url ?? '').split('?'); // AUTHORIZER_URL may have a query
    return answerTo(path, JSON.parse(Buffer.concat(chunks).toString()), decide);
  } catch {
    return { status: 400, body: { error: 'the body is no JSON' } };
  }
};

main();

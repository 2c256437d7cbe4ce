import { type JsonSchema, uuid } from '../../workflows/domain/codecs';
import { type Body, documented, type Documented, type OpenOperation, type Route } from './route';
import { problemExample } from './problems/problem';
import { catalogue, problemTypes, typesOfHttp } from './problems/catalogue';
import { answerSchema, bodySchema, type NamedSchemas } from '../../process/named-schemas';
import { VERSION } from '../../process/version';
import { TAGS_PATTERN } from './preconditions';
import {
  KEY_KNOWN_MS,
  KEYS_KNOWN,
  MOST_KEYS,
  IDEMPOTENCY_KEY_LENGTH,
  REQUEST_NAME_LENGTH,
  REVISIONS,
} from '../../workflows/domain/limits';

type Members = Readonly<Record<string, unknown>>;

const schemasOf = (routes: ReadonlyArray<Route>, open: ReadonlyArray<OpenOperation>): Members => {
  const named: NamedSchemas = {};
  for (const { body } of routes) if (body !== undefined) bodySchema(body.schema, named);
  for (const { codec } of [...routes, ...open].flatMap(({ answers }) => Object.values(answers)))
    if (codec !== undefined) answerSchema(codec.schema, named);
  return Object.fromEntries(Object.entries(named).sort(([one], [other]) => (one < other ? -1 : 1)));
};

type Kind = keyof typeof components;

const reference = (kind: Kind, name: string) => ({ $ref: `#/components/${kind}/${name}` });
const references = (kind: Kind, names: ReadonlyArray<string>): Members =>
  Object.fromEntries(names.map((name) => [name, reference(kind, name)]));

const responsesOf = (answers: Readonly<Record<number, Documented>>, ofAll?: ReadonlyArray<string>): Members => ({
  ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, responseOf(answer, ofAll)])),
  default: reference('responses', 'anyOther'),
});

const responseOf = (answer: Documented, ofAll: ReadonlyArray<string> = []): Members => {
  const { description, headers = [], mediaType, codec, example, problems } = answer;
  const content = {
    schema: codec === undefined ? text : answerSchema(codec.schema),
    ...(example !== undefined && { example }),
    ...(problems !== undefined && { examples: references('examples', problems) }),
  };
  return {
    description,
    headers: references('headers', ['X-Request-Id', 'Cache-Control', ...ofAll, ...headers]),
    ...(mediaType !== undefined && { content: { [mediaType]: content } }),
  };
};

const operationOf = (route: Route): Members => ({
  operationId: route.id,
  tags: [route.path.includes('threshold') ? 'thresholds' : 'statuses'],
  summary: route.summary,
  description: `${route.description}\n\n${permissionsOf(route)}`,
  parameters: [
    ...(route._tag === 'Node' ? ['nodeId'] : []),
    ...(route.writes ? ['idempotencyKey'] : []),
    ...(route.conditional === true && route.writes ? ['ifMatch'] : []),
    ...(route.conditional === true ? ['ifNoneMatch'] : []),
    ...(route.writes ? [] : ['cacheControl']),
    'requestId',
  ].map((name) => reference('parameters', name)),
  ...(route.body !== undefined && { requestBody: bodyOf(route.body) }),
  responses: responsesOf(route.answers, ['RateLimit-Policy', 'RateLimit']),
});

const openOperationOf = ({ id, summary, parameters: taken, answers }: OpenOperation): Members => ({
  operationId: id,
  tags: ['process'],
  summary,
  security: [],
  ...(taken !== undefined && {
    parameters: Object.entries(taken).map(([name, one]) => ({ name, in: 'query', ...one })),
  }),
  responses: responsesOf(answers),
});

const permissionsOf = (route: Route): string =>
  route._tag === 'Batch'
    ? `Needs \`${route.action}\` by any grant, and \`${route.actionOfEach}\` for each node.`
    : `Needs \`${route.action}\` for the node.`;

const bodyOf = ({ description, mediaType, mayBeEmpty, schema, examples }: Body): Members => ({
  description,
  required: !mayBeEmpty,
  content: {
    [mediaType]: {
      schema: bodySchema(schema),
      examples: Object.fromEntries(Object.entries(examples).map(([key, value]) => [key, { value }])),
    },
  },
});

const text = { type: 'string' };

const textHeader = (description: string, example?: string) => ({
  description,
  schema: text,
  ...(example !== undefined && { example }),
});

const headers = {
  'X-Request-Id': textHeader(
    `The name of the call, as in its problem, its event and the log; at most ${REQUEST_NAME_LENGTH} characters.`,
  ),
  ETag: textHeader('The revision of the threshold in quotation marks, for `If-Match`.', '"3"'),
  Age: {
    description: 'The answer comes from the read cache, and is at most so old (seconds, 0 or more).',
    schema: { type: 'integer', minimum: 0 },
  },
  'Retry-After': {
    description: 'When another try is worth it (seconds, 1 or more).',
    schema: { type: 'integer', minimum: 1 },
  },
  'Cache-Control': textHeader('No cache may keep the answer.', 'no-store'),
  'RateLimit-Policy': textHeader(
    "The user's allowance in this API process: `q` calls at once; an empty allowance refills steadily, in `w` seconds. Absent without a valid token, and where the operator set no limit.",
    '"user";q=200;w=2',
  ),
  RateLimit: textHeader(
    'What is left of it: `r` calls now; the allowance is full after `t` seconds without a call.',
    '"user";r=199;t=1',
  ),
  'WWW-Authenticate': textHeader('The scheme to call with.', 'Bearer'),
};

const headerParameter = (name: string, description: string, schema: JsonSchema = text) => {
  return { name, in: 'header', description, schema };
};
const etags: JsonSchema = { type: 'string', pattern: TAGS_PATTERN };

/** The documentation page sends a parameter's example by default, so rarely used parameters have no example. */
const parameters = {
  nodeId: {
    name: 'nodeId',
    in: 'path',
    required: true,
    description: 'The node: a UUID of any version in either case; answered in lower case.',
    schema: uuid.schema,
    example: '6f9f0a6e-3c0b-4c55-9d0e-2b1c5a7f8d01',
  },
  requestId: headerParameter(
    'X-Request-Id',
    `A name for the call: 1 to ${REQUEST_NAME_LENGTH} letters, digits, dots, hyphens and underscores. Any other text is passed over, and a new one made.`,
  ),
  idempotencyKey: headerParameter(
    'Idempotency-Key',
    `Send it with the first try: a repeat of the same key and node changes nothing and is answered with the status of the first. A refused write is not remembered: correct it, and send it under the same key. It has 1 to ${IDEMPOTENCY_KEY_LENGTH} visible ASCII characters. The node remembers it for ${KEY_KNOWN_MS / 60_000} minutes or for its next ${KEYS_KNOWN} keyed writes, whichever is longer; never more than ${MOST_KEYS} keys, so above ${Math.floor(MOST_KEYS / (KEY_KNOWN_MS / 1_000))} keyed writes per second to it for less. After that a repeat is a new write.`,
    { type: 'string', pattern: `^[!-~]{1,${IDEMPOTENCY_KEY_LENGTH}}$` },
  ),
  cacheControl: headerParameter('Cache-Control', '`no-cache`: the node itself answers, never the read cache.'),
  ifMatch: headerParameter(
    'If-Match',
    `ETags, at most ${REVISIONS}, such as \`"3"\`: the threshold must be at one of these revisions. \`*\`: one was ever set.`,
    etags,
  ),
  ifNoneMatch: headerParameter(
    'If-None-Match',
    `ETags, at most ${REVISIONS}: the threshold must be at none of these revisions. \`*\`: none was ever set. To a read that has the threshold already the answer is 304.`,
    etags,
  ),
};

/** The answer to a request that the HTTP layer refuses, such as one with too large headers. Any address can answer so. */
const { description: meanings, ...ofHttp } = documented(typesOfHttp);
const anyOther = responseOf({
  ...ofHttp,
  description: `What HTTP itself refuses is a problem as well.\n\n${meanings}`,
  headers: [],
});

const components = {
  responses: { anyOther },
  headers,
  parameters,
  examples: Object.fromEntries(
    problemTypes.map((type) => [type, { summary: catalogue[type].title, value: problemExample(type) }]),
  ),
  securitySchemes: {
    token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The bare token is taken as well.' },
  },
};

/** The OpenAPI 3.1 document, made of the same values by which calls are routed and decoded. */
export const openApiDocument = (routes: ReadonlyArray<Route>, open: ReadonlyArray<OpenOperation>): Members => {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Point Alarm Service',
      version: VERSION,
      summary: 'Alarm thresholds and alarm statuses of measurement points.',
      description:
        'Unknown properties of a body are refused, and `null` on an optional one means that it is absent. Answers may get more properties in later releases: ignore those that you do not know. Every 4xx and 5xx is a problem by RFC 9457; its `type` is the address of what it means.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: [
      { name: 'thresholds', description: 'The alarm threshold of a node.' },
      { name: 'statuses', description: 'The alarm status of a node.' },
      { name: 'process', description: 'Health and metrics. No token is needed.' },
    ],
    paths: pathsOf([
      ...routes.map((route) => [route.path, route.method, operationOf(route)] as const),
      ...open.map((route) => [route.path, 'GET', openOperationOf(route)] as const),
    ]),
    components: { schemas: schemasOf(routes, open), ...components },
  };
};

const pathsOf = (operations: ReadonlyArray<readonly [path: string, method: string, operation: Members]>): Members => {
  const paths: Record<string, Members> = {};
  for (const [path, method, operation] of operations) {
    const template = path.replaceAll(/:(\w+)/gu, '{$1}');
    paths[template] = { ...paths[template], [method.toLowerCase()]: operation };
  }
  return paths;
};

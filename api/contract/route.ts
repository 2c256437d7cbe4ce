import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type * as TE from 'fp-ts/TaskEither';
import type { Mixed } from 'io-ts';
import { type Codec, decode, type JsonSchema, type Reason } from '../../workflows/domain/codecs';
import type { Cause } from '../../workflows/domain/node/cause';
import type { Refusal } from '../../workflows/domain/node/commands';
import type { Action, Caller, Outage, PointAlarms, Sent } from '../ports';
import type { Conditions } from './preconditions';
import { catalogue, type ProblemType, ProblemView } from './problems/catalogue';
import { addressOf, type Problem, PROBLEM_MEDIA_TYPE } from './problems/problem';

export interface Documented {
  readonly description: string;
  /** Names of the headers that the answer may have besides those of every answer. */
  readonly headers?: ReadonlyArray<string>;
  /** Absent if the answer has no body. */
  readonly mediaType?: string;
  readonly codec?: Mixed & { readonly schema: JsonSchema };
  readonly example?: unknown;
  readonly problems?: ReadonlyArray<ProblemType>;
}

export interface BodyForm {
  readonly mediaType: string;
  readonly mostBytes: number;
  /** Whether an empty body is valid. An empty body needs no media type. */
  readonly mayBeEmpty: boolean;
}

export interface Body extends BodyForm {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly examples: Readonly<Record<string, unknown>>;
}

/** The path and headers of a call, decoded. */
export interface Call {
  /** The node of the path; empty for a route without one. */
  readonly nodeId: string;
  readonly by: Required<Caller>;
  /** What each command of the call contains: the user, the cause, and the idempotency key. */
  readonly sender: { readonly userId: string; readonly cause: Cause; readonly idempotencyKey?: string };
  readonly conditions: Conditions;
  /** Whether the caller wants no cached answer (`Cache-Control: no-cache`). */
  readonly isFresh: boolean;
}

/** The successful answer of a route. `body`: a value, to be written as JSON. `pieces`: instead, the bytes of a JSON body. */
export interface Answer {
  readonly status: 200 | 204 | 304;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly pieces?: ReadonlyArray<Buffer>;
  readonly outcome?: Sent['_tag'];
}

interface Operation {
  /** The name of the operation in the OpenAPI document. */
  readonly id: string;
  readonly summary: string;
  readonly path: string;
  /** The answers by status. A route's file lists the successful ones; `withProblems` adds the problems. */
  readonly answers: Readonly<Record<number, Documented>>;
  /** Types of problem that the route may answer with, besides those of all routes of its kind. */
  readonly problems?: ReadonlyArray<ProblemType>;
}

interface Definition extends Operation {
  readonly description: string;
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'POST';
  readonly action: Action;
  /** Whether the route takes `If-None-Match` and, if it writes, also `If-Match`. */
  readonly conditional?: boolean;
}

/** A route about one node, which its path names. */
export interface NodeRoute extends Definition {
  readonly _tag: 'Node';
  /** Whether the route writes. The calls of a route that writes may have an `Idempotency-Key`. */
  readonly writes: boolean;
  readonly body?: Body;
  /** Decodes the body and returns the handler of the call. Left: every fault of the body. */
  readonly accept: (content: unknown) => E.Either<ReadonlyArray<Reason>, Handle>;
}

/** A route about several nodes, which its body lists. It needs any grant of `action`, and `actionOfEach` on each node. */
export interface BatchRoute extends Definition {
  readonly _tag: 'Batch';
  readonly writes: boolean;
  readonly body: Body;
  readonly actionOfEach: Action;
  readonly accept: (content: unknown) => E.Either<ReadonlyArray<Reason>, DecodedBatch>;
}

export interface DecodedBatch {
  readonly nodeIds: ReadonlyArray<string>;
  readonly handle: (nodes: PointAlarms, call: Call, memory: CallMemory) => TE.TaskEither<Outage | Problem, Answer>;
}

/**
 * Each piece of a body or answer counts as this many bytes more than its length. Without this, a body that arrives in chunks of
 * one byte would take far more memory than it counts.
 */
export const BYTES_OF_A_PIECE = 256;

/** What a call reserves of the memory that the bodies and the batch answers of all calls share. */
export interface CallMemory {
  /** About the most bytes that the calls of a user can hold while no other user holds any. */
  readonly share: number;
  /** Reserves bytes. Left: the problem (429 or 503) with which the call is refused because they do not fit. */
  readonly reserveBytes: (bytes: number) => E.Either<Problem, void>;
}

export type Route = NodeRoute | BatchRoute;

type Handle = (nodes: PointAlarms, call: Call) => RouteResult;
export type RouteResult = TE.TaskEither<Refusal | Outage, Answer>;

/** A route with a body that decodes to a `B`. By default the body is JSON, and required. */
interface Decoding<B> extends Definition {
  readonly codec: Codec<B>;
  readonly body: Pick<Body, 'description' | 'mostBytes' | 'examples'> & Partial<Body>;
}

export const withoutBody = (definition: Definition & { readonly handle: Handle }): NodeRoute => ({
  ...described(definition, nodeProblems),
  _tag: 'Node',
  accept: () => E.right(definition.handle),
});

export const withBody = <B>(
  definition: Decoding<B> & { readonly handle: (nodes: PointAlarms, call: Call, body: B) => RouteResult },
): NodeRoute => ({
  ...describedWithBody(definition, nodeProblems),
  _tag: 'Node',
  accept: (content) =>
    pipe(
      decode(definition.codec, content),
      E.map((decoded) => (nodes: PointAlarms, call: Call) => definition.handle(nodes, call, decoded)),
    ),
});

export const batch = <B>(
  definition: Decoding<B> & Pick<BatchRoute, 'actionOfEach'> & { readonly accept: (body: B) => DecodedBatch },
): BatchRoute => ({
  ...describedWithBody(definition, everywhere),
  _tag: 'Batch',
  actionOfEach: definition.actionOfEach,
  accept: (content) => pipe(decode(definition.codec, content), E.map(definition.accept)),
});

const describedWithBody = <B>(definition: Decoding<B>, ofAll: ReadonlyArray<ProblemType>) => ({
  ...described(definition, [...ofAll, 'request-timeout', 'payload-too-large', 'unsupported-media-type']),
  body: { mediaType: 'application/json', mayBeEmpty: false, schema: definition.codec.schema, ...definition.body },
});

const described = <D extends Definition>(definition: D, ofAll: ReadonlyArray<ProblemType>) => {
  const writes = definition.method === 'PUT' || definition.method === 'PATCH';
  return { ...withProblems(definition, writes ? [...ofAll, 'idempotency-conflict'] : ofAll), writes };
};

/** A read-only operation that needs no token: health, readiness and metrics. */
export interface OpenOperation extends Operation {
  /** The optional query parameters of the route, by name. */
  readonly parameters?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
}

export const jsonBody = (
  description: string,
  codec: NonNullable<Documented['codec']>,
  example: unknown,
  ...headers: ReadonlyArray<string>
): Documented => ({ description, mediaType: 'application/json', codec, example, headers });

const everywhere: ReadonlyArray<ProblemType> = [
  'invalid-request',
  'missing-authentication-token',
  'invalid-authentication-token',
  'unauthorized-resource',
  'too-many-requests',
  'internal-server-error',
  'unavailable',
  'timeout',
];

/** Types of problem of every route about one node. */
const nodeProblems: ReadonlyArray<ProblemType> = [...everywhere, 'resource-not-found'];

/** Adds to a route the documentation of its own problems, and of those that all routes of its kind have (`ofAll`). */
export const withProblems = <R extends Operation>(route: R, ofAll: ReadonlyArray<ProblemType>): R => {
  const types = [...ofAll, ...(route.problems ?? [])];
  const answers: Record<number, Documented> = { ...route.answers };
  for (const { status } of types.map((type) => catalogue[type]))
    answers[status] = documented(types.filter((type) => catalogue[type].status === status));
  return { ...route, answers };
};

export const documented = (problems: ReadonlyArray<ProblemType>): Documented => ({
  description: problems.map((type) => `[${type}](${addressOf(type)}): ${catalogue[type].meaning}`).join('\n\n'),
  headers: [...new Set(problems.flatMap((type) => catalogue[type].headers ?? []))],
  mediaType: PROBLEM_MEDIA_TYPE,
  codec: ProblemView,
  problems,
});

/** The header `Age` (RFC 9111, section 5.1) of an answer up to `age` seconds old. No header if the node itself answered. */
export const ageOf = (age: number | undefined): Readonly<Record<string, string>> =>
  age === undefined ? {} : { Age: String(Math.floor(age)) };

import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type * as TE from 'fp-ts/TaskEither';
import type { Mixed } from 'io-ts';
import type { RouterContext } from '@koa/router';
import { type Codec, decode, type JsonSchema, type Reason } from '../../workflows/domain/codecs';
import type { Cause } from '../../workflows/domain/node/cause';
import type { Refusal } from '../../workflows/domain/node/commands';
import type { BodyForm } from './body';
import type { Reservation } from './memory-budget';
import type { Action, Behalf, Outage, PointAlarms } from '../ports';
import type { Conditions } from './preconditions';
import { catalogue, type ProblemType, ProblemView } from './problems/catalogue';
import type { Answer, CallState } from './answer';
import { addressOf, type Problem, PROBLEM_MEDIA_TYPE } from './problems/problem';

export interface Documented {
  readonly description: string;
  /** Names of headers that it may have besides those of every answer. */
  readonly headers?: ReadonlyArray<string>;
  /** Absent: no body. */
  readonly mediaType?: string;
  readonly codec?: Mixed & { readonly schema: JsonSchema };
  readonly example?: unknown;
  readonly problems?: ReadonlyArray<ProblemType>;
}

export interface Body extends BodyForm {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly examples: Readonly<Record<string, unknown>>;
}

/** What a call says besides its body. */
export interface Call {
  /** The node of the path; empty for a route without one. */
  readonly nodeId: string;
  readonly by: Required<Behalf>;
  /** The members of every command that come from its call. */
  readonly sender: { readonly userId: string; readonly cause: Cause; readonly idempotencyKey?: string };
  readonly conditions: Conditions;
  /** The caller wants no cached answer (`Cache-Control: no-cache`). */
  readonly isFresh: boolean;
}

interface Operation {
  /** Its name in the OpenAPI document. */
  readonly id: string;
  readonly summary: string;
  readonly path: string;
  /** The answers by status: in its file those of success. */
  readonly answers: Readonly<Record<number, Documented>>;
  /** Types of problem besides those of every route of its kind. */
  readonly problems?: ReadonlyArray<ProblemType>;
}

interface Definition extends Operation {
  readonly description: string;
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'POST';
  readonly action: Action;
  /** Whether it takes `If-None-Match`, and as a write `If-Match`. */
  readonly conditional?: boolean;
}

/** A route on the node that its path names. */
export interface NodeRoute extends Definition {
  readonly _tag: 'Node';
  /** Whether it is a write: such a call may have an `Idempotency-Key`. */
  readonly writes: boolean;
  readonly body?: Body;
  /** The handling of a decoded body, or every fault of it. */
  readonly accept: (content: unknown) => E.Either<ReadonlyArray<Reason>, Handle>;
}

/** A route on the nodes that its body names: `action` by any grant, and `actionOfEach` for each of them. */
export interface BatchRoute extends Definition {
  readonly _tag: 'Batch';
  readonly writes: boolean;
  readonly body: Body;
  readonly actionOfEach: Action;
  readonly accept: (content: unknown) => E.Either<ReadonlyArray<Reason>, Batch>;
}

export interface Batch {
  readonly nodeIds: ReadonlyArray<string>;
  readonly handle: (nodes: PointAlarms, call: Call, memory: Reservation) => TE.TaskEither<Outage | Problem, Answer>;
}

export type Route = NodeRoute | BatchRoute;

type Handle = (nodes: PointAlarms, call: Call) => Handled;
export type Handled = TE.TaskEither<Refusal | Outage, Answer>;

/** A route whose body, by default JSON that must be there, decodes to a `B`. */
interface Decoding<B> extends Definition {
  readonly codec: Codec<B>;
  readonly body: Pick<Body, 'description' | 'mostBytes' | 'examples'> & Partial<Body>;
}

export const bare = (definition: Definition & { readonly handle: Handle }): NodeRoute => ({
  ...described(definition, nodeProblems),
  _tag: 'Node',
  accept: () => E.right(definition.handle),
});

export const withBody = <B>(
  definition: Decoding<B> & { readonly handle: (nodes: PointAlarms, call: Call, body: B) => Handled },
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
  definition: Decoding<B> & Pick<BatchRoute, 'actionOfEach'> & { readonly accept: (body: B) => Batch },
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

/** A page for people, which needs no token. The OpenAPI document leaves it out. */
export interface PageRoute extends Pick<Operation, 'id' | 'path'> {
  /** Whether it is answered beside any crowd: it costs no more than a refusal. */
  readonly isProbe?: boolean;
  /** Sets the answer, at once or later. */
  readonly answer: (ctx: RouterContext<CallState>) => unknown;
}

/** A read-only route that needs no token: health and metrics. */
export interface OpenRoute extends Operation, PageRoute {
  /** Its optional parameters in the query, by name. */
  readonly parameters?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
}

export const json = (
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

/** Problems of every route on the node of its path. */
const nodeProblems: ReadonlyArray<ProblemType> = [...everywhere, 'resource-not-found'];

/** A route with the documents of its problems, and of those `ofAll` of its kind. */
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

/** The header `Age` (RFC 9111, section 5.1) of an answer with a delay of up to `age` seconds; none for an answer of the node itself. */
export const ageOf = (age: number | undefined): Readonly<Record<string, string>> =>
  age === undefined ? {} : { Age: String(Math.floor(age)) };

import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type * as TE from 'fp-ts/TaskEither';
import type { Mixed } from 'io-ts';
import type { RouterContext } from '@koa/router';
import { type Codec, decode, type JsonSchema, type Reason } from '../../workflows/domain/codecs';
import type { Cause } from '../../workflows/domain/node/cause';
import type { Refusal } from '../../workflows/domain/node/commands';
import type { BodyForm } from './body';
import type { Action, Outage, PointAlarms } from '../ports';
import type { Conditions } from './preconditions';
import { catalogue, type ProblemType } from './problems/catalogue';
import type { Answer, CallState } from './answer';
import { addressOf, PROBLEM_MEDIA_TYPE } from './problems/problem';
import { ProblemView } from './problems/problem-view';

/** The documentation of a status that a route may answer with. */
export interface Documented {
  readonly description: string;
  /** Names of headers besides those of every answer. */
  readonly headers?: ReadonlyArray<string>;
  /** Names of headers of only some of these answers. */
  readonly headersAtTimes?: ReadonlyArray<string>;
  readonly mediaType?: string;
  readonly codec?: Mixed & { readonly schema: JsonSchema };
  readonly example?: unknown;
  /** The types of problem that it may be. */
  readonly problems?: ReadonlyArray<ProblemType>;
}

/** The accepted body, and its documentation. */
export interface Body extends BodyForm {
  /** The name of its schema in the OpenAPI document. */
  readonly name: string;
  readonly schema: JsonSchema;
  readonly examples: Readonly<Record<string, unknown>>;
}

/** What a call says besides its body. */
export interface Call {
  /** The node of the path; empty for a route without one. */
  readonly nodeId: string;
  /** The members of every command that come from its call. */
  readonly sender: { readonly userId: string; readonly cause: Cause; readonly idempotencyKey?: string };
  readonly conditions: Conditions;
  /** The caller wants no cached answer (`Cache-Control: no-cache`). */
  readonly isFresh: boolean;
}

/** A route as its file writes it. */
interface Definition {
  /** The operation's name in the OpenAPI document. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'POST';
  readonly path: string;
  readonly action: Action;
  /** Whether it takes `If-None-Match`, and as a write `If-Match`. */
  readonly conditional?: boolean;
  readonly body?: Body;
  /** The answers of success, by status. */
  readonly answers: Readonly<Record<number, Documented>>;
  /** Types of problem besides those of every route of its kind. */
  readonly problems?: ReadonlyArray<ProblemType>;
}

/** A route whose answers are complete. */
interface Described extends Definition {
  /** Whether it is a write: such a call may have an `Idempotency-Key`. */
  readonly writes: boolean;
}

/** A route on the node that its path names. */
export interface NodeRoute extends Described {
  readonly _tag: 'Node';
  /** The handling of a decoded body, or every fault of it. */
  readonly accept: (content: unknown) => E.Either<ReadonlyArray<Reason>, Handle>;
}

/** A route on the nodes that its body names: `action` by any grant, and `actionOfEach` for each of them. */
export interface BatchRoute extends Described {
  readonly _tag: 'Batch';
  readonly body: Body;
  readonly actionOfEach: Action;
  readonly accept: (content: unknown) => E.Either<ReadonlyArray<Reason>, Batch>;
}

export interface Batch {
  readonly nodeIds: ReadonlyArray<string>;
  readonly handle: Handle;
}

export type Route = NodeRoute | BatchRoute;

type Handle = (nodes: PointAlarms, call: Call) => Handled;
export type Handled = TE.TaskEither<Refusal | Outage, Answer>;

interface Decoded<B> {
  readonly codec: Codec<B>;
  readonly body: Pick<Body, 'name' | 'mostBytes' | 'examples'> & Partial<Body>;
}

/** A route on one node that has no body. */
export const bare = (definition: Omit<Definition, 'body'> & { readonly handle: Handle }): NodeRoute => ({
  ...complete(definition, nodeProblems),
  _tag: 'Node',
  accept: () => E.right(definition.handle),
});

/** A route on one node whose body, by default JSON that must be there, decodes to a `B`. */
export const withBody = <B>({
  codec,
  body,
  handle,
  ...definition
}: Omit<Definition, 'body'> &
  Decoded<B> & { readonly handle: (nodes: PointAlarms, call: Call, body: B) => Handled }): NodeRoute => ({
  ...complete({ ...definition, body: completeBody(codec, body) }, nodeProblems),
  _tag: 'Node',
  accept: (content) =>
    pipe(
      decode(codec, content),
      E.map((decoded) => (nodes: PointAlarms, call: Call) => handle(nodes, call, decoded)),
    ),
});

/** A route whose body decodes to a `B` that names nodes. */
export const batch = <B>({
  codec,
  body,
  actionOfEach,
  accept,
  ...definition
}: Omit<Definition, 'body'> &
  Decoded<B> & { readonly actionOfEach: Action; readonly accept: (body: B) => Batch }): BatchRoute => ({
  ...complete({ ...definition, body: completeBody(codec, body) }, everywhere),
  _tag: 'Batch',
  actionOfEach,
  accept: (content) => pipe(decode(codec, content), E.map(accept)),
});

const completeBody = <B>({ schema }: Codec<B>, body: Decoded<B>['body']): Body => ({
  ...{ mediaType: 'application/json', mayBeEmpty: false, schema },
  ...body,
});

const complete = <D extends Definition>(definition: D, ofAll: ReadonlyArray<ProblemType>) => {
  const writes = definition.method === 'PUT' || definition.method === 'PATCH';
  const types: ReadonlyArray<ProblemType> = [
    ...ofAll,
    ...(definition.body === undefined ? [] : withContent),
    ...(writes ? (['idempotency-conflict'] as const) : []),
    ...(definition.problems ?? []),
  ];
  return { ...definition, writes, answers: { ...definition.answers, ...problems(types) } };
};

/** A read-only route that needs no token: health, metrics, documents. */
export interface OpenRoute {
  readonly id: string;
  readonly summary: string;
  readonly path: string;
  /** Its parameters by name; required ones of the path unless they say otherwise. */
  readonly parameters?: Readonly<Record<string, OpenParameter>>;
  /** The answers of success, by status. */
  readonly answers: Readonly<Record<number, Documented>>;
  /** Types of problem besides those of every such route. */
  readonly problems?: ReadonlyArray<ProblemType>;
  /** Sets the answer, at once or later. */
  readonly answer: (ctx: RouterContext<CallState>) => unknown;
}

interface OpenParameter {
  readonly in?: 'query';
  readonly required?: false;
  readonly description: string;
  readonly schema: JsonSchema;
}

export const noBody = (description: string, headers: ReadonlyArray<string> = []): Documented => ({
  description,
  headers,
});

/** Problems of every route with a token. */
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

/** Further problems of a route with a body. */
const withContent: ReadonlyArray<ProblemType> = ['request-timeout', 'payload-too-large', 'unsupported-media-type'];

/** A route without a token, with the documents of its problems. */
export const withProblems = (route: OpenRoute): OpenRoute => ({
  ...route,
  answers: { ...route.answers, ...problems(['invalid-request', 'internal-server-error', ...(route.problems ?? [])]) },
});

/** The documents of the problems of `types`, by status. */
const problems = (types: ReadonlyArray<ProblemType>): Readonly<Record<number, Documented>> =>
  Object.fromEntries(
    types.map((type) => {
      const { status } = catalogue[type];
      return [status, documentedProblems(types.filter((other) => catalogue[other].status === status))];
    }),
  );

const documentedProblems = (types: ReadonlyArray<ProblemType>): Documented => ({
  description: meaningOf(types),
  headers: [...new Set(types.flatMap((type) => catalogue[type].headers ?? []))],
  mediaType: PROBLEM_MEDIA_TYPE,
  codec: ProblemView,
  problems: types,
});

/** The meaning of the problems of `types`, each with a link. */
export const meaningOf = (types: ReadonlyArray<ProblemType>): string =>
  types.map((type) => `[${type}](${addressOf(type)}): ${catalogue[type].meaning}`).join('\n\n');

/** The header `Age` (RFC 9111, section 5.1) of an answer with a delay of up to `age` seconds; none for an answer of the node itself. */
export const ageOf = (age: number | undefined): Readonly<Record<string, string>> =>
  age === undefined ? {} : { Age: String(Math.floor(age)) };

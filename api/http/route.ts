import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type * as TE from 'fp-ts/TaskEither';
import type { Mixed } from 'io-ts';
import type { RouterContext } from '@koa/router';
import { type Codec, decode, type JsonSchema, type Reason } from '../../workflows/domain/codecs';
import type { Cause } from '../../workflows/domain/node/cause';
import type { Refusal } from '../../workflows/domain/node/commands';
import type { BodyForm } from './body';
import type { Action, ReadResult, Outage, PointAlarms } from '../ports';
import type { Preconditions } from './preconditions';
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

/** The caller, the idempotency key and the preconditions. */
export interface Caller extends Preconditions {
  readonly userId: string;
  readonly idempotencyKey?: string;
  /** The request, for log and trace. */
  readonly cause: Cause;
  /** The caller wants no cached answer (`Cache-Control: no-cache`). */
  readonly isFresh: boolean;
}

export interface NodeCall extends Caller {
  readonly nodeId: string;
}

export type Handled = TE.TaskEither<Refusal | Outage, Answer>;

interface Described {
  /** The operation's name in the OpenAPI document. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'POST';
  readonly path: string;
  readonly action: Action;
  /** Whether it is a write: such a call may have an `Idempotency-Key`. */
  readonly writes: boolean;
  /** Whether it takes `If-None-Match`, and as a write `If-Match`. */
  readonly conditional?: boolean;
  readonly body?: Body;
  readonly answers: Readonly<Record<number, Documented>>;
}

/** A route on the node that its path names. */
export interface NodeRoute extends Described {
  readonly _tag: 'Node';
  /** The handling of a decoded body, or every fault of it. */
  readonly accept: (
    content: unknown,
  ) => E.Either<ReadonlyArray<Reason>, (nodes: PointAlarms, call: NodeCall) => Handled>;
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
  readonly handle: (nodes: PointAlarms, call: Caller) => Handled;
}

export type Route = NodeRoute | BatchRoute;

interface Decoded<B> {
  readonly codec: Codec<B>;
  readonly body: Omit<Body, 'schema'>;
  readonly handle: (nodes: PointAlarms, call: NodeCall, body: B) => Handled;
}

/** A route on one node that has no body. */
export const bare = (
  definition: Omit<Described, 'body'> & { readonly handle: (nodes: PointAlarms, call: NodeCall) => Handled },
): NodeRoute => ({ ...definition, _tag: 'Node', accept: () => E.right(definition.handle) });

/** A route on one node whose body decodes to a `B`. */
export const withBody = <B>({
  codec,
  body,
  handle,
  ...definition
}: Omit<Described, 'body'> & Decoded<B>): NodeRoute => ({
  ...definition,
  _tag: 'Node',
  body: { ...body, schema: codec.schema },
  accept: (content) =>
    pipe(
      decode(codec, content),
      E.map((decoded) => (nodes: PointAlarms, call: NodeCall) => handle(nodes, call, decoded)),
    ),
});

/** A read-only route that needs no token: health, metrics, documents. */
export interface OpenRoute {
  readonly id: string;
  readonly summary: string;
  readonly path: string;
  /** Its parameters by name; required ones of the path unless they say otherwise. */
  readonly parameters?: Readonly<Record<string, OpenParameter>>;
  readonly answers: Readonly<Record<number, Documented>>;
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

/** Problems of every route on nodes. */
export const everywhere: ReadonlyArray<ProblemType> = [
  'invalid-request',
  'missing-authentication-token',
  'invalid-authentication-token',
  'unauthorized-resource',
  'resource-not-found',
  'too-many-requests',
  'internal-server-error',
  'unavailable',
  'timeout',
];

/** Further problems of a route with a body. */
export const withContent: ReadonlyArray<ProblemType> = [
  'request-timeout',
  'payload-too-large',
  'unsupported-media-type',
];

/** Problems of every route that changes a node. */
export const ofWrites: ReadonlyArray<ProblemType> = [...everywhere, ...withContent, 'idempotency-conflict'];

/** Problems of a route without a token. */
export const withoutToken: ReadonlyArray<ProblemType> = ['invalid-request', 'internal-server-error'];

/** The documents of the problems of `types`, by status. */
export const problems = (...types: ReadonlyArray<ProblemType>): Readonly<Record<number, Documented>> =>
  Object.fromEntries(
    types.map((type) => {
      const { status } = catalogue[type];
      return [status, problemOf(types.filter((other) => catalogue[other].status === status))];
    }),
  );

const problemOf = (types: ReadonlyArray<ProblemType>): Documented => ({
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

/** The greatest age of several reads. */
export const oldestOf = (found: ReadonlyMap<string, ReadResult<unknown>>): number | undefined => {
  const ages = [...found.values()].flatMap(({ age }) => (age === undefined ? [] : [age]));
  return ages.length === 0 ? undefined : Math.max(...ages);
};

/** The members of every command that come from its call. */
export const senderOf = ({ userId, idempotencyKey, cause }: NodeCall) => ({
  userId,
  cause,
  ...(idempotencyKey !== undefined && { idempotencyKey }),
});

/** The same, and the precondition of a command that sets a threshold. */
export const conditionalSenderOf = (call: NodeCall) => ({ ...senderOf(call), ...preconditionOf(call) });

const preconditionOf = ({ ifMatch, ifNoneMatch }: NodeCall): Preconditions => ({
  ...(ifMatch !== undefined && { ifMatch }),
  ...(ifNoneMatch !== undefined && { ifNoneMatch }),
});

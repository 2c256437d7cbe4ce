import * as E from 'fp-ts/Either';

import { pipe } from 'fp-ts/function';
import type * as TE from 'fp-ts/TaskEither';
import type { Mixed } from 'io-ts';
import { decode, type Codec, type JsonSchema, type Reason } from '../../workflows/domain/codecs';
import type { Cause } from '../../workflows/domain/commands/cause';
import type { Refusal } from '../../workflows/domain/commands/rejections';
import type { BodyForm } from '../http/body/read-content';
import type { Action, Outage, PointAlarms } from '../ports';
import type { Preconditions } from '../http/pipeline/preconditions';
import type { ProblemType } from '../http/problems/catalogue';

/** The successful answer of a route. `body` is JSON, or absent. */
export interface Answer {
  readonly status: 200 | 204 | 304;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** There was nothing to do. */
  readonly unchanged?: boolean | undefined;
}

/** The documentation of a status that a route may answer with. */
export interface Documented {
  readonly description: string;
  /** Names of headers besides those of every answer. */
  readonly headers?: ReadonlyArray<string>;
  /** Names of headers of only some of these answers. */
  readonly headersAtTimes?: ReadonlyArray<string>;
  readonly mediaType?: string;
  /** Media types of text that `Accept` may select instead. */
  readonly instead?: ReadonlyArray<string>;
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

import * as E from 'fp-ts/Either';

import { pipe } from 'fp-ts/function';
import type * as TE from 'fp-ts/TaskEither';
import type { Mixed } from 'io-ts';
import { decode, type Codec, type JsonSchema, type Reason } from '../../workflows/domain/codecs';
import type { Cause } from '../../workflows/domain/commands/cause';
import type { Refusal } from '../../workflows/domain/commands/rejections';
import type { BodyForm } from '../http/body/read-content';
import type { Action, Outage, PointAlarms } from '../ports';
import type { ProblemType } from '../http/problems/catalogue';

/** What a route answers when all went well. `body` is JSON; without it there is none. */
export interface Answer {
  readonly status: 200 | 204;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** There was nothing to do. */
  readonly unchanged?: boolean | undefined;
}

/** A status that a route may answer with, as its documents tell it. */
export interface Documented {
  readonly description: string;
  /** Names of headers besides those that every answer carries. */
  readonly headers?: ReadonlyArray<string>;
  /** Names of headers that only some of these answers carry. */
  readonly headersAtTimes?: ReadonlyArray<string>;
  readonly mediaType?: string;
  /** Media types of text that the caller may ask for instead. */
  readonly instead?: ReadonlyArray<string>;
  readonly codec?: Mixed & { readonly schema: JsonSchema };
  readonly example?: unknown;
  /** The types of problem that it may be. */
  readonly problems?: ReadonlyArray<ProblemType>;
}

/** What a body may be, and how it is told. */
export interface Body extends BodyForm {
  /** What its schema is called in the OpenAPI document. */
  readonly name: string;
  readonly schema: JsonSchema;
  readonly examples: Readonly<Record<string, unknown>>;
}

/** Who calls, and by what a repeat is known. */
export interface Caller {
  readonly userId: string;
  readonly idempotencyKey?: string;
  /** The revisions one of which the threshold must be at. */
  readonly ifMatch?: ReadonlyArray<number>;
  /** The request, as the log knows it. */
  readonly cause: Cause;
  /** He asked for no cached answer (`Cache-Control: no-cache`). */
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
  /** Whether it asks for a change: such a call may carry `Idempotency-Key`. */
  readonly writes: boolean;
  /** Whether it takes `If-Match`. */
  readonly conditional?: boolean;
  readonly body?: Body;
  readonly answers: Readonly<Record<number, Documented>>;
}

/** A route on the node that its path names. */
export interface NodeRoute extends Described {
  readonly _tag: 'Node';
  /** What is to be done with the value of a body, or every fault of it. */
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

import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { RouterContext } from '@koa/router';
import { traceparentOf, type Cause } from '../../../workflows/domain/commands/cause';
import type { ReadBody } from '../body/body-reader';
import { NO_CONTENT } from '../body/read-content';
import type { Authenticator, Authorizer, Hierarchy, PointAlarms } from '../../ports';
import { problemOfRefusal } from '../problems/of-refusal';
import { invalidRequest, problemOfAuthentication } from '../problems/of-request';
import type { Problem } from '../problems/problem';
import type { RateLimiter } from '../rate/rate-limiter';
import type { Answer, Batch, BatchRoute, Caller, Handled, NodeCall, NodeRoute, Route } from '../../routes/route';
import { measurementPoint, permitted, withinRate } from './admission';
import { acceptContent } from './accept-content';
import type { CallState } from './call-state';
import { parametersOf, type NodeParameters } from './parameters';
import { answerProblem, answerWith } from './respond';

/** The dependencies of the routes. */
export interface EndpointPorts {
  readonly pointAlarms: PointAlarms;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly hierarchy: Hierarchy;
  readonly rateLimiter: RateLimiter;
  readonly readBody: ReadBody;
}

type Context = RouterContext<CallState>;
type Step<A> = TE.TaskEither<Problem, A>;

/** Handles the calls of `route`: token, rate, parameters, permission, measurement point, body, then the node; in this order. */
export const endpoint =
  (route: Route, ports: EndpointPorts) =>
  async (ctx: Context): Promise<void> => {
    const answer = pipe(
      authenticated(ports.authenticator, ctx),
      TE.chainFirstEitherK((userId) => withinRate(ports.rateLimiter, ctx, userId)),
      TE.bindTo('userId'),
      TE.bind('parameters', () => parameters(route, ctx)),
      TE.map(({ userId, parameters: named }): NodeCall => ({ ...named, userId, cause: causeOf(ctx) })),
      TE.chain((call) => (route._tag === 'Node' ? onNode(route, ports, ctx, call) : onNodes(route, ports, ctx, call))),
    );
    await pipe(
      answer,
      TE.match(
        (problem) => {
          answerProblem(ctx, problem);
        },
        (answered) => {
          answerWith(ctx, answered);
        },
      ),
    )();
  };

const onNode = (route: NodeRoute, ports: EndpointPorts, ctx: Context, call: NodeCall): Step<Answer> => {
  const { nodeId, userId } = call;
  return pipe(
    permitted(ports.authorizer, userId, [{ action: route.action, resource: nodeId }]),
    TE.chainEitherK(() => measurementPoint(ports.hierarchy, nodeId)),
    TE.chain(() => (route.body === undefined ? TE.right(NO_CONTENT) : ports.readBody(ctx, userId, route.body))),
    TE.chainEitherK((content) => acceptContent(route.accept, content, nodeId)),
    TE.chain((handle) => refusals(route, call, handle(ports.pointAlarms, call))),
  );
};

const onNodes = (route: BatchRoute, ports: EndpointPorts, ctx: Context, call: Caller): Step<Answer> => {
  const { userId } = call;
  const ofAny = { action: route.action, resource: '*' };
  return pipe(
    ports.readBody(ctx, userId, route.body),
    TE.chain((content) =>
      pipe(
        TE.fromEither(acceptContent(route.accept, content)),
        // Its faults name nodes: only who may read batches learns of them.
        TE.orElse((faults): Step<Batch> =>
          pipe(
            permitted(ports.authorizer, userId, [ofAny]),
            TE.chain(() => TE.left(faults)),
          ),
        ),
      ),
    ),
    TE.map((batch) => {
      ctx.set({ ...ports.rateLimiter.charge(userId, Math.max(0, batch.nodeIds.length - 1)) });
      return batch;
    }),
    TE.chainFirst(({ nodeIds }) =>
      permitted(ports.authorizer, userId, [
        ofAny,
        ...nodeIds.map((resource) => ({ action: route.actionOfEach, resource })),
      ]),
    ),
    TE.chain(({ handle }) => refusals(route, call, handle(ports.pointAlarms, call))),
  );
};

const authenticated = (authenticator: Authenticator, ctx: Context): Step<string> =>
  pipe(
    authenticator.userOf(ctx.headers.authorization),
    TE.mapLeft((failure) =>
      failure._tag === 'NoToken' || failure._tag === 'BadToken'
        ? problemOfAuthentication(failure)
        : problemOfRefusal(failure, false),
    ),
    TE.map((userId) => {
      ctx.state.userId = userId;
      return userId;
    }),
  );

const causeOf = ({ state: { requestId, trace } }: Context): Cause => ({
  ...(requestId !== undefined && { requestId }),
  ...(trace !== undefined && { traceparent: traceparentOf(trace) }),
});

const parameters = (route: Route, ctx: Context): Step<NodeParameters> =>
  pipe(
    TE.fromEither(parametersOf(route, ctx.params['nodeId'], ctx.headers)),
    TE.mapLeft(invalidRequest),
    TE.map((named) => {
      if (named.nodeId !== '') ctx.state.nodeId = named.nodeId;
      return named;
    }),
  );

const refusals = (route: Route, call: Caller, handled: Handled): Step<Answer> =>
  pipe(
    handled,
    TE.mapLeft((refusal) => problemOfRefusal(refusal, route.writes, call)),
  );

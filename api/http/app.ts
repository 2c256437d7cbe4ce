import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import Router, { type RouterContext } from '@koa/router';
import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import Koa from 'koa';
import type { Registry } from 'prom-client';
import type { Log } from '../../process/log';
import type { ApiSettings } from '../../process/settings';
import { withTimeout } from '../../process/timeout';
import { decode, isRecord, boundedReasons, uuid, type Reason } from '../../workflows/domain/codecs';
import { traceContextOf, traceparentOf, type TraceContext } from '../../workflows/domain/node/cause';
import type { Refusal } from '../../workflows/domain/node/commands';
import {
  type Authenticator,
  type Authorizer,
  type Caller,
  type Hierarchy,
  noAnswerOf,
  type Outage,
  type Permission,
  type PointAlarms,
} from '../ports';
import { delayErrors, type ErrorTurn } from './delay-errors';
import { arrivalOf, isSurplus } from './request-turns';
import { answerProblem, answerWith, setRequestId, type CallState, type PageRoute } from './answer';
import type { Content } from '../../process/json';
import { NO_CONTENT, type ReadBody } from './body';
import { callOf, malformedHead } from './head';
import type { MemoryBudget, Reservation } from './memory-budget';
import { createObserver } from './observer';
import { invalidRequest, problem, problemOf, type Problem, unavailable } from '../contract/problems/problem';
import type { RateLimiter } from './rate-limit';
import type { Answer, BatchRoute, Call, NodeRoute, Route } from '../contract/route';

export interface EndpointPorts {
  readonly pointAlarms: PointAlarms;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly hierarchy: Hierarchy;
  readonly rateLimiter: RateLimiter;
  readonly memory: MemoryBudget;
  readonly readBody: ReadBody;
}

interface App {
  readonly routes: ReadonlyArray<Route>;
  readonly openRoutes: ReadonlyArray<PageRoute>;
  readonly ports: EndpointPorts;
  readonly log: Log;
  readonly registry: Registry;
  readonly isStopping: () => boolean;
  readonly settings: Pick<ApiSettings, 'CALL_DEADLINE_MS' | 'MAX_HEADERS'>;
  readonly errorTurn: ErrorTurn;
}

type Context = RouterContext<CallState>;
type Answered = Promise<E.Either<Problem, Answer>>;

export const createApp = (parts: App): Koa<CallState> => {
  const { log, ports, settings, isStopping } = parts;
  const router = new Router<CallState>({ sensitive: true, strict: true });
  for (const route of parts.routes) {
    router.register(route.path, [route.method], async (ctx) => {
      ctx.state.route = route;
      const answer = await answerTo(route, ports, ctx, arrivalOf(ctx.req) + settings.CALL_DEADLINE_MS);
      if (E.isLeft(answer)) answerProblem(ctx, answer.left);
      else answerWith(ctx, answer.right);
    });
  }
  for (const route of parts.openRoutes) {
    router.get(route.path, (ctx) => {
      ctx.state.route = route;
      if (!isSurplus(ctx.req) || route.isProbe === true) return route.answer(ctx);
      return void answerProblem(ctx, crowded);
    });
  }
  const routed = router.routes();
  const observe = createObserver(log, parts.registry);
  const app = new Koa<CallState>();
  app.on('error', (error: Error) => log.info({ err: error }, 'connection lost'));
  app.use(async (ctx, next) => {
    await next();
    if (isStopping()) ctx.set('Connection', 'close'); // also on the answers to calls that began before the stop
  });
  app.use(delayErrors(parts.errorTurn));
  app.use<object, Context>(async (ctx) => {
    ctx.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    setRequestId(ctx);
    ctx.state.trace = spanIn(traceContextOf(ctx.get('traceparent')));
    let defect: object | undefined;
    try {
      const malformed = hasPath(ctx) ? malformedHead(ctx.req, settings.MAX_HEADERS) : refuseTarget(ctx);
      if (malformed === undefined) await routed(ctx, () => Promise.resolve(void answerNotFound(ctx)));
      else {
        ctx.res.shouldKeepAlive = false;
        answerProblem(ctx, malformed);
      }
    } catch (error) {
      defect = { err: error, requestId: ctx.state.requestId, route: ctx.state.route?.path };
      answerProblem(ctx, problem('internal-server-error', 'The fault is logged under the request id.'));
    }
    observe(ctx, (performance.now() - arrivalOf(ctx.req)) / 1_000);
    if (defect !== undefined) log.error(defect, 'defect');
  });
  return app;
};

/** Whether Koa can parse the request target. Koa throws for some targets, such as `http://[::1/`. */
const hasPath = (ctx: Context): boolean =>
  E.isRight(
    E.tryCatch(
      () => ctx.path,
      () => undefined,
    ),
  );

/** The refusal of a target that Koa cannot parse. The target becomes `/`, because every later access would throw again. */
const refuseTarget = (ctx: Context): Problem => {
  ctx.req.url = '/';
  return invalidRequest([{ name: '', reason: 'has a target that is no address' }]);
};

const crowded = problemOf({ _tag: 'Overloaded', retryAfter: 1, isOwnShare: false }, false);
const callerDisconnected = unavailable('The caller closed the connection.', false, 1);

/**
 * Checks a call in this order: surplus (its user sends more than this process can begin), token, rate limit, path and headers,
 * permission (for a batch only after the body), measurement point, admission to the node's queue, body. Then the node answers.
 */
const answerTo = async (route: Route, ports: EndpointPorts, ctx: Context, until: number): Answered => {
  const surplus = isSurplus(ctx.req) ? ports.pointAlarms.tooMany?.() : undefined;
  if (surplus !== undefined) return E.left(problemOf(surplus, route._tag === 'Node' && route.writes));
  const user = await withDeadline(
    until,
    ports.authenticator.userOf(ctx.headers.authorization),
    noAnswerOf('The key set', 5),
  );
  if (E.isLeft(user)) return E.left(problemOf(user.left, false));
  if (ctx.res.closed) return E.left(callerDisconnected); // the caller has left; a later listener for `close` would not be called
  const userId = (ctx.state.userId = user.right);
  const { isAllowed, headers } = ports.rateLimiter.consume(userId);
  ctx.set({ ...headers });
  if (!isAllowed) return E.left(problem('too-many-requests', 'The user exceeded the rate limit. Nothing was changed.'));
  const { requestId, trace } = ctx.state;
  const cause = { requestId, traceparent: traceparentOf(trace) };
  const by = { userId, disconnected: disconnectSignalOf(ctx.res), until };
  const call = callOf(route, ctx.params['nodeId'], ctx.headers, by, cause);
  if (E.isLeft(call)) return E.left(invalidRequest(call.left));
  if (route._tag === 'Batch') return answerBatchCall(route, ports, ctx, call.right);
  ctx.state.nodeId = call.right.nodeId;
  return answerNodeCall(route, ports, ctx, call.right);
};

/** A signal that aborts when the connection closes before the whole answer is sent. */
const disconnectSignalOf = (response: ServerResponse): AbortSignal => {
  const disconnected = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) disconnected.abort();
  });
  return disconnected.signal;
};

const withDeadline = <F, A>(until: number, asked: TE.TaskEither<F | Outage, A>, late: Outage) =>
  withTimeout<E.Either<F | Outage, A>>(Math.max(0, until - performance.now()), asked(), () => E.left(late));

/** Reserves memory until the answer is sent or the caller disconnects. */
const reserve = ({ memory }: EndpointPorts, { res }: Context, userId: string): Reservation => {
  const reserved = memory(userId);
  if (res.closed) reserved.release();
  else res.once('close', reserved.release);
  return reserved;
};

const answerNodeCall = async (route: NodeRoute, ports: EndpointPorts, ctx: Context, call: Call): Answered => {
  const { nodeId, by } = call;
  const refusal =
    (await permissionRefusal(ports.authorizer, by, [{ action: route.action, resource: nodeId }])) ??
    nodeKindRefusal(ports.hierarchy, nodeId) ??
    (route.writes ? admissionRefusal(ports.pointAlarms.refusal?.(nodeId, by)) : undefined);
  if (refusal !== undefined) return E.left(refusal);
  const { reserveBytes } = reserve(ports, ctx, by.userId);
  const content =
    route.body === undefined ? E.right(NO_CONTENT) : await ports.readBody(ctx.req, by, route.body, reserveBytes);
  if (E.isLeft(content)) return content;
  const handle = acceptContent(route.accept, content.right, nodeId);
  if (E.isLeft(handle)) return handle;
  const handled = await handle.right(ports.pointAlarms, call)();
  return E.mapLeft((refused: Refusal | Outage) => problemOf(refused, route.writes, call.conditions))(handled);
};

const answerBatchCall = async (route: BatchRoute, ports: EndpointPorts, ctx: Context, call: Call): Answered => {
  const { by } = call;
  const ofAny = { action: route.action, resource: '*' };
  const { reserveBytes, release } = reserve(ports, ctx, by.userId);
  const content = await ports.readBody(ctx.req, by, route.body, reserveBytes);
  if (E.isLeft(content)) return content;
  const batch = acceptContent(route.accept, content.right);
  // The faults of a batch name nodes, so only users who may read batches see these faults.
  if (E.isLeft(batch)) return E.left((await permissionRefusal(ports.authorizer, by, [ofAny])) ?? batch.left);
  const { nodeIds, handle } = batch.right;
  ctx.set({ ...ports.rateLimiter.charge(by.userId, Math.max(0, nodeIds.length - 1)) });
  const ofEach = nodeIds.map((resource) => ({ action: route.actionOfEach, resource }));
  const refusal = await permissionRefusal(ports.authorizer, by, [ofAny, ...ofEach]);
  if (refusal !== undefined) return E.left(refusal);
  release(); // the body is read, and the answer may need the user's whole share of the memory
  const handled = await handle(ports.pointAlarms, call, reserve(ports, ctx, by.userId))();
  return E.mapLeft((refused: Outage | Problem) => ('_tag' in refused ? problemOf(refused, false) : refused))(handled);
};

/** The refusal that lists the permissions of `wanted` that the user lacks, or an outage. Undefined if the user lacks none. */
const permissionRefusal = async (
  authorizer: Authorizer,
  { userId, until }: Required<Caller>,
  wanted: ReadonlyArray<Permission>,
): Promise<Problem | undefined> => {
  const asked = await withDeadline(until, authorizer.violations(userId, wanted), noAnswerOf('The authorizer'));
  if (E.isLeft(asked)) return problemOf(asked.left, false);
  const violations = asked.right;
  return violations.length === 0
    ? undefined
    : problem('unauthorized-resource', 'The user lacks the listed permissions.', { userId, violations });
};

/** The refusal of a node that is no measurement point: 404 for an unknown one, 400 for another kind. */
const nodeKindRefusal = (hierarchy: Hierarchy, nodeId: string): Problem | undefined => {
  switch (hierarchy.kindOf(nodeId)) {
    case 'measurement_point':
      return undefined;
    case 'other':
      return invalidRequest([{ name: 'nodeId', reason: 'must be a measurement point' }]);
    case 'unknown':
      return problem('resource-not-found', `The hierarchy does not know the node ${nodeId}.`);
  }
};

const admissionRefusal = (outage: Outage | undefined): Problem | undefined => outage && problemOf(outage, true);

/**
 * The result of `accept`, or a problem that lists every fault of the body: those that `accept` found, those of the JSON text,
 * and a `nodeId` other than the path's. For a place where `accept` found a fault, faults of the other two kinds are left out.
 */
const acceptContent = <A>(
  accept: (value: unknown) => E.Either<ReadonlyArray<Reason>, A>,
  { value, faults }: Content,
  nodeId?: string,
): E.Either<Problem, A> => {
  const accepted = accept(value);
  const found = E.isLeft(accepted) ? accepted.left : [];
  const places = new Set(found.map(({ name }) => name));
  const more = [...boundedReasons(faults), ...otherNode(value, nodeId)].filter(({ name }) => !places.has(name));
  return E.isLeft(accepted) || more.length > 0 ? E.left(invalidRequest([...found, ...more])) : accepted;
};

const otherNode = (value: unknown, nodeId: string | undefined): ReadonlyArray<Reason> => {
  const named = isRecord(value) ? decode(uuid, value['nodeId']) : undefined;
  return nodeId === undefined || named === undefined || E.isLeft(named) || named.right === nodeId
    ? []
    : [{ name: 'nodeId', reason: `must be the node of the path, ${nodeId}` }];
};

/** Answers a request that no route matches: 405 with `Allow` if the path has other methods, else 404. */
const answerNotFound = (ctx: Context): void => {
  const methods = [...new Set((ctx.matched ?? []).flatMap((layer) => layer.methods))].sort().join(', ');
  answerProblem(
    ctx,
    methods === ''
      ? problem('route-not-found', 'Addresses are case-sensitive and have no trailing slash.')
      : problem('request-method-not-allowed', `Allowed here: ${methods}.`, {}, { Allow: methods }),
  );
};

/** The call's own span, in the caller's trace or in a new one (docs/contributing/decisions-temporal.md, "Traces"). */
const spanIn = (parent: TraceContext | undefined): TraceContext => ({
  traceId: parent?.traceId ?? randomHex(),
  spanId: randomHex().slice(16),
  isSampled: parent?.isSampled ?? false,
});

/**
 * 32 hex digits, which are a trace id. The last 16 serve as a span id. Neither id may be all zeros, and neither half of a UUID
 * is: one half holds its version, the other its variant. Node makes UUIDs in batches, which is faster than random bytes.
 */
const randomHex = (): string => randomUUID().replaceAll('-', '');

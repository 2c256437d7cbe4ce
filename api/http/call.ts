import { randomUUID } from 'node:crypto';
import Router, { type RouterContext } from '@koa/router';
import * as E from 'fp-ts/Either';
import Koa from 'koa';
import type { Registry } from 'prom-client';
import { unsearched, type Log } from '../../process/log';
import { counter, histogram } from '../../process/metrics';
import { decode, isRecord, listed, uuid, type Reason } from '../../workflows/domain/codecs';
import { traceContextOf, traceparentOf, type TraceContext } from '../../workflows/domain/node/cause';
import { workflowIdOf } from '../../workflows/messages';
import type { Refusal } from '../../workflows/domain/node/commands';
import type { Authenticator, Authorizer, Behalf, Hierarchy, Outage, Permission, PointAlarms } from '../ports';
import { delayErrors, type ErrorTurn } from './delay-errors';
import { isSurplus } from './in-turn';
import { answerProblem, answerWith, setRequestId, type Answer, type CallState } from './answer';
import type { Content } from '../../process/json';
import { NO_CONTENT, type ReadBody } from './body';
import { callOf, malformedHead } from './head';
import { invalidRequest, problem, problemOf, type Problem } from './problems/problem';
import type { RateLimiter } from './rate-limit';
import type { BatchRoute, Call, Handled, NodeRoute, PageRoute, Route } from './route';

export interface EndpointPorts {
  readonly pointAlarms: PointAlarms;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly hierarchy: Hierarchy;
  readonly rateLimiter: RateLimiter;
  readonly readBody: ReadBody;
}

interface App {
  readonly routes: ReadonlyArray<Route>;
  readonly openRoutes: ReadonlyArray<PageRoute>;
  readonly ports: EndpointPorts;
  readonly log: Log;
  readonly registry: Registry;
  readonly isStopping: () => boolean;
  readonly mostHeaders: number;
  readonly errorTurn: ErrorTurn;
}

type Context = RouterContext<CallState>;
type Answered = Promise<E.Either<Problem, Answer>>;

/** The application: the life of every call, in its order. */
export const createApp = (parts: App): Koa<CallState> => {
  const { log, ports, isStopping } = parts;
  const router = new Router<CallState>({ sensitive: true, strict: true });
  for (const route of parts.routes) {
    router.register(route.path, [route.method], async (ctx) => {
      ctx.state.route = route;
      const answer = await answerTo(route, ports, ctx);
      if (E.isLeft(answer)) answerProblem(ctx, answer.left);
      else answerWith(ctx, answer.right);
    });
  }
  for (const route of parts.openRoutes) {
    router.get(route.path, (ctx) => {
      ctx.state.route = route;
      return route.answer(ctx);
    });
  }
  const routed = router.routes();
  const observe = createObserver(log, parts.registry);
  const app = new Koa<CallState>();
  app.on('error', (error: Error) => log.info({ err: error }, 'connection lost'));
  app.use(async (ctx, next) => {
    await next();
    if (isStopping()) ctx.set('Connection', 'close'); // also for calls that began before
  });
  app.use(delayErrors(parts.errorTurn));
  app.use<object, Context>(async (ctx) => {
    ctx.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    setRequestId(ctx);
    ctx.state.trace = spanIn(traceContextOf(ctx.get('traceparent')));
    const start = process.hrtime.bigint();
    let defect: object | undefined;
    try {
      const malformed = malformedHead(ctx.req, parts.mostHeaders);
      if (malformed === undefined) await routed(ctx, () => Promise.resolve(void answerNotFound(ctx)));
      else {
        ctx.res.shouldKeepAlive = false;
        answerProblem(ctx, malformed);
      }
    } catch (error) {
      defect = { err: error, requestId: ctx.state.requestId, route: ctx.state.route?.path };
      answerProblem(ctx, problem('internal-server-error', 'The fault is logged under the request id.'));
    }
    observe(ctx, Number(process.hrtime.bigint() - start) / 1e9);
    if (defect !== undefined) log.error(defect, 'defect');
  });
  return app;
};

/** Every endpoint's own order: surplus, token, rate, parameters, permission, measurement point, admission, body, then the node. */
const answerTo = async (route: Route, ports: EndpointPorts, ctx: Context): Answered => {
  const surplus = isSurplus(ctx.req) ? ports.pointAlarms.tooMany?.() : undefined;
  if (surplus !== undefined) return E.left(problemOf(surplus, route._tag === 'Node' && route.writes));
  const user = await ports.authenticator.userOf(ctx.headers.authorization)();
  if (E.isLeft(user)) return E.left(problemOf(user.left, false));
  const userId = (ctx.state.userId = user.right);
  const { isTaken, headers } = ports.rateLimiter.take(userId);
  ctx.set({ ...headers });
  if (!isTaken) return E.left(problem('too-many-requests', 'The user exceeded the rate limit. Nothing was changed.'));
  const { requestId, trace } = ctx.state;
  const cause = { requestId, traceparent: traceparentOf(trace) };
  const call = callOf(route, ctx.params['nodeId'], ctx.headers, behalfOf(ctx, userId), cause);
  if (E.isLeft(call)) return E.left(invalidRequest(call.left));
  if (route._tag === 'Batch') return onNodes(route, ports, ctx, call.right);
  ctx.state.nodeId = call.right.nodeId;
  return onNode(route, ports, ctx, call.right);
};

const onNode = async (route: NodeRoute, ports: EndpointPorts, ctx: Context, call: Call): Answered => {
  const { nodeId, by } = call;
  const refusal =
    (await lackOf(ports.authorizer, by.userId, [{ action: route.action, resource: nodeId }])) ??
    noMeasurementPoint(ports.hierarchy, nodeId) ??
    (route.writes ? notAdmitted(ports.pointAlarms.refusal?.(nodeId, by)) : undefined);
  if (refusal !== undefined) return E.left(refusal);
  const content = route.body === undefined ? E.right(NO_CONTENT) : await ports.readBody(ctx, by.userId, route.body);
  if (E.isLeft(content)) return content;
  const handle = acceptContent(route.accept, content.right, nodeId);
  return E.isLeft(handle) ? handle : answered(route, call, handle.right(ports.pointAlarms, call));
};

const onNodes = async (route: BatchRoute, ports: EndpointPorts, ctx: Context, call: Call): Answered => {
  const { userId } = call.by;
  const ofAny = { action: route.action, resource: '*' };
  const content = await ports.readBody(ctx, userId, route.body);
  if (E.isLeft(content)) return content;
  const batch = acceptContent(route.accept, content.right);
  // Its faults name nodes: only who may read batches learns of them.
  if (E.isLeft(batch)) return E.left((await lackOf(ports.authorizer, userId, [ofAny])) ?? batch.left);
  const { nodeIds, handle } = batch.right;
  ctx.set({ ...ports.rateLimiter.charge(userId, Math.max(0, nodeIds.length - 1)) });
  const ofEach = nodeIds.map((resource) => ({ action: route.actionOfEach, resource }));
  const refusal = await lackOf(ports.authorizer, userId, [ofAny, ...ofEach]);
  return refusal === undefined ? answered(route, call, handle(ports.pointAlarms, call)) : E.left(refusal);
};

/** The refusal of a user who lacks a permission of `wanted`; it names every one that they lack. */
const lackOf = async (authorizer: Authorizer, userId: string, wanted: ReadonlyArray<Permission>) => {
  const asked = await authorizer.violations(userId, wanted)();
  if (E.isLeft(asked)) return problemOf(asked.left, false);
  const violations = asked.right;
  return violations.length === 0
    ? undefined
    : problem('unauthorized-resource', 'The user lacks the listed permissions.', { userId, violations });
};

/** The refusal of a node that is no measurement point: 404 for an unknown one, 400 for another kind. */
const noMeasurementPoint = (hierarchy: Hierarchy, nodeId: string): Problem | undefined => {
  switch (hierarchy.kindOf(nodeId)) {
    case 'measurement_point':
      return undefined;
    case 'other':
      return invalidRequest([{ name: 'nodeId', reason: 'must be a measurement point' }]);
    case 'unknown':
      return problem('resource-not-found', `The hierarchy does not know the node ${nodeId}.`);
  }
};

const notAdmitted = (outage: Outage | undefined): Problem | undefined => outage && problemOf(outage, true);

/** What `accept` makes of a body, or every fault: its own, or else those of the text and of a `nodeId` unlike the path's. */
const acceptContent = <A>(
  accept: (value: unknown) => E.Either<ReadonlyArray<Reason>, A>,
  { value, faults }: Content,
  nodeId?: string,
): E.Either<Problem, A> => {
  const accepted = accept(value);
  const found = E.isLeft(accepted) ? accepted.left : [];
  const places = new Set(found.map(({ name }) => name));
  const more = [...listed(faults), ...otherNode(value, nodeId)].filter(({ name }) => !places.has(name));
  return E.isLeft(accepted) || more.length > 0 ? E.left(invalidRequest([...found, ...more])) : accepted;
};

const otherNode = (value: unknown, nodeId: string | undefined): ReadonlyArray<Reason> => {
  const named = isRecord(value) ? decode(uuid, value['nodeId']) : undefined;
  return nodeId === undefined || named === undefined || E.isLeft(named) || named.right === nodeId
    ? []
    : [{ name: 'nodeId', reason: `must be the node of the path, ${nodeId}` }];
};

const answered = async (route: Route, call: Call, handled: Handled): Answered =>
  E.mapLeft((refusal: Refusal | Outage) => problemOf(refusal, route.writes, call.conditions))(await handled());

/** The caller, who is gone once the connection closes without an answer. */
const behalfOf = ({ res }: Context, userId: string): Behalf => {
  const gone = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) gone.abort();
  });
  return { userId, gone: gone.signal };
};

/** The answer where no route matched: 405 with `Allow` where the path has other methods, else 404. */
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

/** 32 hex digits, of which neither half is all zeros: Node generates UUIDs in batches, which is faster than random bytes. */
const randomHex = (): string => randomUUID().replaceAll('-', '');

/** Logs each call in one line of ids, never bodies; counts and times it by the template of its route, never by node. */
const createObserver = (log: Log, registry: Registry) => {
  const calls = unsearched(log);
  const duration = histogram(registry, 'point_alarm_http_request_duration_seconds');
  const problems = counter(registry, 'point_alarm_problems_total');
  return ({ method, state, status }: Context, seconds: number): void => {
    const { requestId, trace, route, userId, nodeId } = state;
    if (state.problem !== undefined) problems(1, { type: state.problem });
    duration(seconds, { method: route ? method : 'any', route: route?.path ?? 'none', status: String(status) });
    const line = {
      method,
      route: route?.path,
      operation: route?.id,
      status,
      outcome: state.problem ?? (state.isUnchanged === true ? 'unchanged' : 'done'),
      ms: Math.round(seconds * 1_000),
      requestId,
      traceId: trace.traceId,
      spanId: trace.spanId,
      userId,
      nodeId,
      workflowId: nodeId === undefined ? undefined : workflowIdOf(nodeId),
    };
    const isPolled = route?.answer !== undefined;
    calls[isPolled ? 'debug' : status >= 500 ? 'warn' : 'info'](line, 'call');
  };
};

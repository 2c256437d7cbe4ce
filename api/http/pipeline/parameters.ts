import type { IncomingHttpHeaders } from 'node:http';
import * as E from 'fp-ts/Either';
import { decode, uuid, type Reason } from '../../../workflows/domain/codecs';
import { REQUEST_ID_LENGTH } from '../../../workflows/domain/limits';
import type { NodeCall, Route } from '../../routes/route';
import { faultsOf, preconditionsOf } from './preconditions';

/** The parameters in the path and the headers of a request. */
export type NodeParameters = Omit<NodeCall, 'userId' | 'cause'>;

/**
 * The parameters in the path and the headers of a request, or every fault of them. `nodeId` is empty for a route without
 * a node in its path.
 */
export const parametersOf = (
  route: Route,
  nodeIdText: string | undefined,
  headers: IncomingHttpHeaders,
): E.Either<ReadonlyArray<Reason>, NodeParameters> => {
  const nodeId = route._tag === 'Node' ? decode(uuid, nodeIdText) : E.right('');
  const key = idempotencyKeyOf(route.writes ? keyOf(headers) : undefined);
  const faults = route.conditional === true ? faultsOf(headers) : [];
  if (E.isRight(nodeId) && E.isRight(key) && faults.length === 0) {
    const idempotencyKey = key.right;
    return E.right({
      nodeId: nodeId.right,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(route.conditional === true && preconditionsOf(headers, route.writes)),
      isFresh: NO_CACHE.test(headers['cache-control'] ?? ''),
    });
  }
  return E.left([
    ...(E.isLeft(nodeId) ? nodeId.left.map(({ reason }) => ({ name: 'nodeId', reason })) : []),
    ...(E.isLeft(key) ? [key.left] : []),
    ...faults,
  ]);
};

/** RFC 9111, section 5.2.1.4. */
const NO_CACHE = /(?:^|,)\s*no-cache\s*(?:,|$)/iu;

const keyOf = (headers: IncomingHttpHeaders): string | undefined => {
  const key = headers['idempotency-key'];
  return Array.isArray(key) ? key.join(', ') : key;
};

const VISIBLE = new RegExp(`^[\\x21-\\x7e]{1,${REQUEST_ID_LENGTH}}$`, 'u');

/** The idempotency key of a call, where the caller gave one. */
const idempotencyKeyOf = (key: string | undefined): E.Either<Reason, string | undefined> =>
  key === undefined || VISIBLE.test(key)
    ? E.right(key)
    : E.left({ name: 'Idempotency-Key', reason: `must be 1 to ${REQUEST_ID_LENGTH} visible ASCII characters` });

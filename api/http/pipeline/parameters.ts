import type { IncomingHttpHeaders } from 'node:http';
import * as E from 'fp-ts/Either';
import { decode, uuid, type Reason } from '../../../workflows/domain/codecs';
import type { NodeCall, Route } from '../../routes/route';
import { idempotencyKeyOf } from './idempotency-key';
import { revisionsOf } from './if-match';

/** What the path and the head of a request name. */
export type NodeParameters = Omit<NodeCall, 'userId' | 'cause'>;

/**
 * What the path and the head of a request ask for, or every fault of them. A route that names no node in its path has none:
 * its `nodeId` is empty.
 */
export const parametersOf = (
  route: Route,
  nodeIdText: string | undefined,
  headers: IncomingHttpHeaders,
): E.Either<ReadonlyArray<Reason>, NodeParameters> => {
  const nodeId = route._tag === 'Node' ? decode(uuid, nodeIdText) : E.right('');
  const key = idempotencyKeyOf(route.writes ? keyOf(headers) : undefined);
  const revisions = revisionsOf(route.conditional === true ? headers['if-match'] : undefined);
  if (E.isRight(nodeId) && E.isRight(key) && E.isRight(revisions)) {
    const [idempotencyKey, ifMatch] = [key.right, revisions.right];
    return E.right({
      nodeId: nodeId.right,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(ifMatch !== undefined && { ifMatch }),
      isFresh: NO_CACHE.test(headers['cache-control'] ?? ''),
    });
  }
  return E.left([
    ...(E.isLeft(nodeId) ? nodeId.left.map(({ reason }) => ({ name: 'nodeId', reason })) : []),
    ...(E.isLeft(key) ? [key.left] : []),
    ...(E.isLeft(revisions) ? [revisions.left] : []),
  ]);
};

/** RFC 9111, section 5.2.1.4. */
const NO_CACHE = /(?:^|,)\s*no-cache\s*(?:,|$)/iu;

const keyOf = (headers: IncomingHttpHeaders): string | undefined => {
  const key = headers['idempotency-key'];
  return Array.isArray(key) ? key.join(', ') : key;
};

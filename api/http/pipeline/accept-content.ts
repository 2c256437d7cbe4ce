import * as E from 'fp-ts/Either';
import { decode, isRecord, listed, uuid, type Reason } from '../../../workflows/domain/codecs';
import type { Content } from '../body/read-content';
import { invalidRequest } from '../problems/of-request';
import type { Problem } from '../problems/problem';

/**
 * The result of `accept` for `content`, or every fault together: those that `accept` finds, or else those of the
 * text and of a `nodeId` in the body that differs from the path's.
 */
export const acceptContent = <A>(
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

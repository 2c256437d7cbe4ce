import * as E from 'fp-ts/Either';
import type { Hierarchy } from '../../ports';
import { invalidRequest } from '../problems/of-request';
import { problem, type Problem } from '../problems/problem';

/** Nothing, where the node of the path is a measurement point; 404 where nobody knows it, 400 where it is something else. */
export const measurementPoint = (hierarchy: Hierarchy, nodeId: string): E.Either<Problem, void> => {
  switch (hierarchy.kindOf(nodeId)) {
    case 'measurement_point':
      return E.right(undefined);
    case 'other':
      return E.left(invalidRequest([{ name: 'nodeId', reason: 'must be a measurement point' }]));
    case 'unknown':
      return E.left(problem('resource-not-found', `The hierarchy does not know the node ${nodeId}.`));
  }
};

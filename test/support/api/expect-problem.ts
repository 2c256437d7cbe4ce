import { expect } from 'vitest';
import { ProblemView } from '../../../api/contract/problems/catalogue';
import { decoded } from '../reasons-of';
import type { Reply } from './call';

interface Expected {
  readonly status: number;
  readonly type: string;
  /** The names of all reasons, in any order. */
  readonly names?: ReadonlyArray<string>;
}

/** Expects `reply` to be a whole problem of this status and type, and returns it. */
export const expectProblem = (reply: Reply, { status, type, names }: Expected) => {
  expect(reply.json, reply.text).toMatchObject({ status, type: `/problems/${type}` });
  expect(reply.status).toBe(status);
  expect(reply.headers['content-type']).toBe('application/problem+json');
  const problem = decoded(ProblemView, reply.json);
  expect(problem.requestId).toBe(reply.headers['x-request-id']);
  expect(reply.text).not.toMatch(/\bat \S+ \(|node_modules|\.[jt]s:\d/u);
  if (names !== undefined) expect(problem.reasons?.map(({ name }) => name).sort()).toEqual([...names].sort());
  return problem;
};

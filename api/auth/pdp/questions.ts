import type { Action, Permission } from '../../ports';

/** A request by AuthZEN: its endpoint and its body. */
export interface Question {
  readonly endpoint: 'evaluation' | 'evaluations';
  readonly path: string;
  readonly body: object;
}

/**
 * The request whether `userId` has each of `wanted`: one evaluation, or several in one message.
 *
 * Several share the subject, and the action of the last of them, which nearly all of a batch have: a thousand nodes take
 * 64 KB. Source: OpenID AuthZEN Authorization API 1.0, "Access Evaluation API" and "Access Evaluations API".
 */
export const questionOf = (userId: string, wanted: ReadonlyArray<Permission>): Question => {
  const subject = { type: 'user', id: userId };
  const last = wanted[wanted.length - 1];
  return wanted.length === 1 && last !== undefined
    ? {
        endpoint: 'evaluation',
        path: '/access/v1/evaluation',
        body: { subject, ...actionOf(last), ...resourceOf(last) },
      }
    : {
        endpoint: 'evaluations',
        path: '/access/v1/evaluations',
        body: {
          subject,
          ...(last !== undefined && actionOf(last)),
          options: { evaluations_semantic: 'execute_all' },
          evaluations: wanted.map((one) => ({ ...(one.action !== last?.action && actionOf(one)), ...resourceOf(one) })),
        },
      };
};

const actionOf = ({ action }: { readonly action: Action }) => ({ action: { name: action } });

/** The resource `*` is sent as the service: some PDPs give `*` a meaning (docs/decisions.md, "Authentication and permissions"). */
const resourceOf = ({ resource }: Permission) => ({
  resource: resource === '*' ? { type: 'service', id: 'point-alarm-service' } : { type: 'node', id: resource },
});

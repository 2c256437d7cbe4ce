import type { Action, Permission } from '../../ports';

/** A question as AuthZEN puts it: where it is asked, and its body. */
export interface Question {
  readonly endpoint: 'evaluation' | 'evaluations';
  readonly path: string;
  readonly body: object;
}

/**
 * The question whether `userId` has each of `wanted`: one evaluation, or several in one message.
 *
 * Several share the subject and the action of the last of them, which nearly all of a batch have, so that a thousand nodes
 * are 64 KB. Source: OpenID AuthZEN Authorization API 1.0, "Access Evaluation API" and "Access Evaluations API".
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

/** The resource `*` is the service itself: a star could mean something to a decision point. docs/decisions.md, "Who may call". */
const resourceOf = ({ resource }: Permission) => ({
  resource: resource === '*' ? { type: 'service', id: 'point-alarm-service' } : { type: 'node', id: resource },
});

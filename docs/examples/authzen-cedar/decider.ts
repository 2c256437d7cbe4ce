import { readFileSync } from 'node:fs';
import { preparsePolicySet, statefulIsAuthorized, validate } from '@cedar-policy/cedar-wasm/nodejs';
import type { Evaluation } from './authzen-request';
import { entitiesOf, entityOf, parentsIn, type HierarchyFile } from './cedar-entities';
import { policySetOf, type GrantsFile } from './policy-set';

/** The files that decisions are made of. */
export type DeciderFiles = Readonly<Record<'hierarchy' | 'grants' | 'policies' | 'schema', string>>;

/** Whether a user has a permission. */
export type Decide = (evaluation: Evaluation) => boolean;

/** Decides by Cedar. Errors: throws where a file cannot be read, or the policies do not fit the schema. */
export const createDecider = (files: DeciderFiles): Decide => {
  const text = (path: string): string => readFileSync(path, 'utf8');
  const parents = parentsIn(JSON.parse(text(files.hierarchy)) as HierarchyFile);
  const policies = policySetOf(text(files.policies), JSON.parse(text(files.grants)) as GrantsFile);
  const found = validate({ schema: text(files.schema), policies });
  const faults = found.type === 'failure' ? found.errors : found.validationErrors.map(({ error }) => error);
  if (faults.length > 0) throw new Error(faults.map(({ message }) => message).join('\n'));
  const prepared = preparsePolicySet(POLICY_SET, policies);
  if (prepared.type === 'failure') throw new Error(prepared.errors.map(({ message }) => message).join('\n'));
  return ({ subject, action, resource }) => {
    const [user, on] = [entityOf(subject), entityOf(resource)];
    if (user?.type !== 'User' || on === undefined || on.type === 'User') return false;
    const answer = statefulIsAuthorized({
      principal: user,
      action: { type: 'Action', id: action.name },
      resource: on,
      context: {},
      preparsedPolicySetId: POLICY_SET,
      entities: entitiesOf(user, on, parents),
    });
    return answer.type === 'success' && answer.response.decision === 'allow';
  };
};

const POLICY_SET = 'point-alarm-service';

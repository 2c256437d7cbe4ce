import { readFileSync } from 'node:fs';
import {
  policySetTextToParts,
  preparsePolicySet,
  statefulIsAuthorized,
  templateToJson,
  validate,
  type EntityJson,
  type PolicySet,
  type TypeAndId,
} from '@cedar-policy/cedar-wasm/nodejs';
import type { Decide } from './authzen';

export type DeciderFiles = Readonly<Record<'hierarchy' | 'grants' | 'policies' | 'schema', string>>;

/** Decides by Cedar. Errors: throws if a file is unreadable, a node is its own ancestor, or the policies violate the schema. */
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

interface GrantsFile {
  readonly grants: ReadonlyArray<{
    readonly user: string;
    readonly actions: ReadonlyArray<string>;
    readonly node: string;
  }>;
}

/** The policies in `text`, with a template link for each action of each grant. Errors: throws if `text` has faulty policies. */
const policySetOf = (text: string, { grants }: GrantsFile): PolicySet => {
  const parts = policySetTextToParts(text);
  if (parts.type === 'failure') throw new Error(parts.errors.map(({ message }) => message).join(', '));
  const templates = Object.fromEntries(parts.policy_templates.map((template) => [nameOf(template), template]));
  const isOnNodes = (action: string): boolean => templates[action]?.includes('?resource') === true;
  return {
    staticPolicies: Object.fromEntries(parts.policies.map((policy, index) => [`rule ${index}`, policy])),
    templates,
    templateLinks: grants.flatMap(({ user, actions, node }, index) =>
      (actions.includes('*') ? Object.keys(templates) : [...new Set(actions)]).map((templateId) => ({
        templateId,
        newId: `grant ${index}: ${templateId}`,
        values: { '?principal': principalOf(user), ...(isOnNodes(templateId) && { '?resource': nodeOf(node) }) },
      })),
    ),
  };
};

const principalOf = (user: string): TypeAndId => (user === '*' ? EVERYBODY : { type: 'User', id: sameCase(user) });

/** A node as Cedar's entity. The node `*` is the ancestor of all nodes, so a grant on it holds for all. */
const nodeOf = (node: string): TypeAndId => ({ type: 'Node', id: sameCase(node) });

/** The name of the action that a template grants, from its annotation `@id`. Errors: throws if there is none. */
const nameOf = (template: string): string => {
  const read = templateToJson(template);
  const name = read.type === 'success' ? read.json.annotations?.['id'] : undefined;
  if (typeof name !== 'string') throw new Error('a template needs an @id: the action that it gives');
  return name;
};

interface HierarchyFile {
  readonly nodes: ReadonlyArray<{ readonly id: string; readonly parent?: string | null }>;
}

type Parents = ReadonlyMap<string, string>;

/** The parent of each node. Errors: throws if a node is its own ancestor, because its way to the root would have no end. */
const parentsIn = ({ nodes }: HierarchyFile): Parents => {
  const parents: Parents = new Map(
    nodes.flatMap(({ id, parent }) => (typeof parent === 'string' ? [[sameCase(id), sameCase(parent)]] : [])),
  );
  const startOf = new Map<string, string>(); // for each visited node, where the walk that visited it began
  for (const start of parents.keys()) {
    let at: string | undefined = start;
    for (; at !== undefined && !startOf.has(at); at = parents.get(at)) startOf.set(at, start);
    if (at !== undefined && startOf.get(at) === start) throw new Error(`the node ${at} is its own ancestor`);
  }
  return parents;
};

const EVERYBODY: TypeAndId = { type: 'Everybody', id: '*' };

/** Cedar's entity for a subject or resource of AuthZEN; undefined if its type is not user, node or service. */
const entityOf = ({ type, id }: TypeAndId): TypeAndId | undefined => {
  const known = { user: 'User', node: 'Node', service: 'Service' }[type];
  return known === undefined ? undefined : { type: known, id: sameCase(id) };
};

/** The entities for a decision: the user, and the resource; for a node also all its ancestors. */
const entitiesOf = (user: TypeAndId, resource: TypeAndId, parents: Parents): EntityJson[] => {
  const entities: EntityJson[] = [{ uid: user, attrs: {}, parents: [EVERYBODY] }];
  if (resource.type !== 'Node') return [...entities, { uid: resource, attrs: {}, parents: [] }];
  for (let id: string | undefined = resource.id; id !== undefined; id = parents.get(id))
    entities.push({ uid: nodeOf(id), attrs: {}, parents: [nodeOf(parents.get(id) ?? '*')] });
  return entities;
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/** Writes a UUID in lower case, because its case has no meaning. Other ids stay as they are. */
const sameCase = (id: string): string => (UUID.test(id) ? id.toLowerCase() : id);

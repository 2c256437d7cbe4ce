import { policySetTextToParts, templateToJson, type PolicySet, type TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import { EVERYBODY, ROOT, sameCase } from './cedar-entities';

/** Grants as in GRANTS_FILE. */
export interface GrantsFile {
  readonly grants: ReadonlyArray<{
    readonly user: string;
    readonly actions: ReadonlyArray<string>;
    readonly node: string;
  }>;
}

/** The rules of `text`, and a link of its templates for each action of each grant. Errors: throws where the text is no policies. */
export const policySetOf = (text: string, { grants }: GrantsFile): PolicySet => {
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

const nodeOf = (node: string): TypeAndId => (node === '*' ? ROOT : { type: 'Node', id: sameCase(node) });

/** The action that a template gives: its `@id`. */
const nameOf = (template: string): string => {
  const read = templateToJson(template);
  const name = read.type === 'success' ? read.json.annotations?.['id'] : undefined;
  if (typeof name !== 'string') throw new Error('a template needs an @id: the action that it gives');
  return name;
};

import type { TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';

/** One question: whether the subject may do the action on the resource. */
export interface Evaluation {
  readonly subject: TypeAndId;
  readonly action: { readonly name: string };
  readonly resource: TypeAndId;
}

/** Several questions, and the decision after which the rest need not be answered. */
export interface Evaluations {
  readonly evaluations: ReadonlyArray<Evaluation>;
  readonly endsAt?: boolean;
}

/** The question of a body; undefined where it holds none. Other members are ignored. */
export const evaluationIn = (body: unknown): Evaluation | undefined => {
  const { subject, action, resource } = membersOf(body);
  const { name } = membersOf(action);
  return isEntity(subject) && isEntity(resource) && typeof name === 'string'
    ? { subject, action: { name }, resource }
    : undefined;
};

/** The questions of a body, with its own members as their defaults. A body without a list is one question. */
export const evaluationsIn = (body: unknown): Evaluations | undefined => {
  const { evaluations: listed, options, ...defaults } = membersOf(body);
  if (!Array.isArray(listed) || listed.length === 0) return undefined;
  const evaluations = listed.map((one: unknown) => evaluationIn({ ...defaults, ...membersOf(one) }));
  const semantic = membersOf(options)['evaluations_semantic'] ?? 'execute_all';
  if (!evaluations.every((one) => one !== undefined) || !isSemantic(semantic)) return undefined;
  const endsAt = endings[semantic];
  return { evaluations, ...(endsAt !== undefined && { endsAt }) };
};

const endings = { execute_all: undefined, deny_on_first_deny: false, permit_on_first_permit: true } as const;

const isSemantic = (semantic: unknown): semantic is keyof typeof endings =>
  typeof semantic === 'string' && Object.hasOwn(endings, semantic);

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

const isEntity = (value: unknown): value is TypeAndId => {
  const { type, id } = membersOf(value);
  return typeof type === 'string' && typeof id === 'string';
};

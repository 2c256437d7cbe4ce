import type { TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';

export type Decide = (evaluation: Evaluation) => boolean;

export interface Answered {
  readonly status: number;
  readonly body: object;
}

/** The answer to a body that was posted to `path`. */
export const answerTo = (path: string, body: unknown, decide: Decide): Answered => {
  switch (path) {
    case '/access/v1/evaluation':
      return one(body, decide);
    case '/access/v1/evaluations':
      return several(body, decide);
    default:
      return { status: 404, body: { error: 'there is no such endpoint' } };
  }
};

const NO_QUESTION: Answered = { status: 400, body: { error: 'subject, action or resource is missing' } };

const one = (body: unknown, decide: Decide): Answered => {
  const evaluation = evaluationIn(body);
  return evaluation === undefined ? NO_QUESTION : { status: 200, body: { decision: decide(evaluation) } };
};

const several = (body: unknown, decide: Decide): Answered => {
  const asked = evaluationsIn(body);
  if (asked === undefined) return one(body, decide);
  const evaluations: { readonly decision: boolean }[] = [];
  for (const evaluation of asked.evaluations) {
    const decision = decide(evaluation);
    evaluations.push({ decision });
    if (decision === asked.endsAt) break;
  }
  return { status: 200, body: { evaluations } };
};

/** One question: whether the subject may do the action on the resource. */
interface Evaluation {
  readonly subject: TypeAndId;
  readonly action: { readonly name: string };
  readonly resource: TypeAndId;
}

/** Several questions, and the decision after which the rest need not be answered. */
interface Evaluations {
  readonly evaluations: ReadonlyArray<Evaluation>;
  readonly endsAt?: boolean;
}

/** The question of a body; undefined where it holds none. Other members are ignored. */
const evaluationIn = (body: unknown): Evaluation | undefined => {
  const { subject, action, resource } = membersOf(body);
  const { name } = membersOf(action);
  return isEntity(subject) && isEntity(resource) && typeof name === 'string'
    ? { subject, action: { name }, resource }
    : undefined;
};

/** The questions of a body, with its own members as their defaults. A body without a list is one question. */
const evaluationsIn = (body: unknown): Evaluations | undefined => {
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

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

const one = (body: unknown, decide: Decide): Answered => {
  const evaluation = evaluationIn(body);
  if (evaluation === undefined) return refused('subject, action or resource is missing');
  return { status: 200, body: { decision: decide(evaluation) } };
};

const refused = (error: string): Answered => ({ status: 400, body: { error } });

/** Most questions per list, because other requests wait meanwhile. The service asks at most MAX_BATCH_NODES (1,000). */
const MOST_EVALUATIONS = 2_000;

/**
 * The answers to the questions in a list. A question takes each member that it lacks from the body. A body without a list, or
 * with an empty list, is itself one question.
 */
const several = (body: unknown, decide: Decide): Answered => {
  const { evaluations: listed, options, ...defaults } = membersOf(body);
  if (listed !== undefined && !Array.isArray(listed)) return refused('evaluations is no list');
  if (listed === undefined || listed.length === 0) return one(body, decide);
  if (listed.length > MOST_EVALUATIONS) return refused(`evaluations has at most ${MOST_EVALUATIONS} questions`);
  const asked = listed.map((each: unknown) =>
    isObject(each) ? evaluationIn({ ...defaults, ...membersOf(each) }) : undefined,
  );
  const semantic = membersOf(options)['evaluations_semantic'] ?? 'execute_all';
  // Refuse the whole list: an answer about the body's own members would not answer the faulty question.
  if (!asked.every((each) => each !== undefined))
    return refused('subject, action or resource of a question is missing');
  if (!isSemantic(semantic)) return refused('evaluations_semantic is not known');
  const evaluations: { readonly decision: boolean }[] = [];
  for (const evaluation of asked) {
    const decision = decide(evaluation);
    evaluations.push({ decision });
    if (decision === endings[semantic]) break;
  }
  return { status: 200, body: { evaluations } };
};

/** For each semantic, the decision after which the remaining questions get no answer; undefined: all get one. */
const endings = { execute_all: undefined, deny_on_first_deny: false, permit_on_first_permit: true } as const;

const isSemantic = (semantic: unknown): semantic is keyof typeof endings =>
  typeof semantic === 'string' && Object.hasOwn(endings, semantic);

/** One question: whether the subject may do the action on the resource. */
interface Evaluation {
  readonly subject: TypeAndId;
  readonly action: { readonly name: string };
  readonly resource: TypeAndId;
}

/** The question in a body, or undefined if its subject, action or resource is missing. Other members are ignored. */
const evaluationIn = (body: unknown): Evaluation | undefined => {
  const { subject, action, resource } = membersOf(body);
  const { name } = membersOf(action);
  return isEntity(subject) && isEntity(resource) && typeof name === 'string'
    ? { subject, action: { name }, resource }
    : undefined;
};

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? { ...value } : {});

const isEntity = (value: unknown): value is TypeAndId => {
  const { type, id } = membersOf(value);
  return typeof type === 'string' && typeof id === 'string';
};

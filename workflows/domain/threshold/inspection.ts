import { array, described, object, refine, text, type Codec, type TypeOf } from '../codecs';
import type { Limits } from '../limits';
import { Status, statusMeanings } from '../alarm/status';

const choice = (limits: Limits) =>
  object(
    'choice',
    {
      answer: described(
        text(limits.textLength),
        'The answer, unique among the choices; a measurement must match it exactly.',
      ),
      status: described(Status, `The status that this answer sets: ${statusMeanings}.`),
    },
    { instruction: described(text(limits.textLength), 'What the inspector should do then; text for people.') },
  );

const shape = (limits: Limits) =>
  object(
    'inspection',
    { choices: described(array(choice(limits), limits.choices), 'The answers to choose from.') },
    {},
  );

export type Inspection = TypeOf<ReturnType<typeof shape>>;

/** The answers to choose from, each with the status that choosing it sets. */
export const inspection = (limits: Limits): Codec<Inspection> =>
  refine(shape(limits), ({ choices }) =>
    choices.flatMap(({ answer }, index) =>
      choices.findIndex((other) => other.answer === answer) < index
        ? [{ name: `choices.${index}.answer`, reason: 'must be unique among the choices' }]
        : [],
    ),
  );

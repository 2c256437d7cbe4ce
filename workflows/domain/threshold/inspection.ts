import { array, object, refine, text, type Codec, type TypeOf } from '../codecs';
import type { Limits } from '../limits';
import { Status } from '../alarm/status';

const choice = (limits: Limits) =>
  object('choice', { answer: text(limits.textLength), status: Status }, { instruction: text(limits.textLength) });

const shape = (limits: Limits) => object('inspection', { choices: array(choice(limits), limits.choices) }, {});

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

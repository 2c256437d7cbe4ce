import * as E from 'fp-ts/Either';
import type { GroupAnswer } from '../../../workflows/domain/node/apply-commands';
import type { CommandName } from '../../../workflows/domain/node/command';
import type { Refusal } from '../../../workflows/domain/rejections';
import type { Outage, Sent } from '../../ports';

/** What became of the command `name` at `index` of a group. That there was nothing to do is a success. */
export const sentOf = (
  answer: E.Either<Outage, GroupAnswer>,
  name: CommandName,
  index: number,
): E.Either<Refusal | Outage, Sent> => {
  if (E.isLeft(answer)) return answer;
  const { outcomes, patched } = answer.right;
  const outcome = outcomes[index];
  if (outcome === undefined) return E.left(noOutcome);
  if (outcome._tag === 'Refused') return E.left(outcome.refusal);
  return E.right({
    revision: outcome.revision,
    ...(name === 'patchThreshold' && patched !== undefined && { patched }),
    ...(outcome._tag === 'Unchanged' && { unchanged: true }),
  });
};

/** A node of another release that answers fewer commands than it was sent. */
const noOutcome: Outage = { _tag: 'Unavailable', part: 'The node', retryAfter: 1, mayHaveChanged: true };

import { array, codec, mapped, object, oneOf, uuid, type Codec } from '../../workflows/domain/codecs';
import { UserId } from '../../workflows/domain/user-id';
import { actions } from '../ports';
import { indexGrants, type GrantIndex } from './violations';

const MOST_GRANTS = 1_000_000;

const everyNode = oneOf('every node', ['*']);

const nodeOrEvery: Codec<string> = codec('node', {}, (input, context) =>
  (input === '*' ? everyNode : uuid).validate(input, context),
);

/** `{"grants": [{"user": user id or "*", "actions": [action or "*"], "node": UUID or "*"}]}`, indexed. */
export const grantsFile: Codec<GrantIndex> = mapped(
  object(
    'grants',
    {
      grants: array(
        object(
          'grant',
          { user: UserId, actions: array(oneOf('action', [...actions, '*']), 100), node: nodeOrEvery },
          {},
        ),
        MOST_GRANTS,
      ),
    },
    {},
  ),
  ({ grants }) => indexGrants(grants),
);

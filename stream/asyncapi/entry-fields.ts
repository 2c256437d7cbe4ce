import { USER_ID_LENGTH } from '../../workflows/domain/limits';
import type { JsonSchema } from '../../workflows/domain/codecs';
import type { EventType } from '../../workflows/domain/events/event';

/** The schema of a stream entry's fields: two attributes to choose by, then the envelope. All are text. */
export const entryFields = (type: EventType, attributePrefix: string): JsonSchema => {
  const properties = {
    [`${attributePrefix}.EventType`]: {
      ...text,
      const: type,
      description: 'The type; EVENT_ATTRIBUTE_PREFIX is its prefix.',
    },
    [`${attributePrefix}.Aggregate`]: { ...text, format: 'uuid', description: 'The node.' },
    aggregateId: { ...text, format: 'uuid', description: 'The node.' },
    sequenceId: { ...text, minLength: 26, maxLength: 26, description: 'A ULID, rising strictly within a node.' },
    timestamp: { ...text, pattern: '^[0-9]+$', description: 'Epoch milliseconds; a 64-bit integer.' },
    type: { ...text, const: type, description: 'The type.' },
    data: {
      ...text,
      contentMediaType: 'application/json',
      description: 'The payload: a marshaled JSON object, UTF-8.',
    },
    userId: { ...text, maxLength: USER_ID_LENGTH, description: 'Who caused it.' },
  };
  return { type: 'object', required: Object.keys(properties), properties };
};

const text = { type: 'string' };

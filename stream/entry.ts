import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { JsonSchema } from '../workflows/domain/codecs';
import { EventType, type StreamEvent, eventOf } from '../workflows/domain/node/events';
import { USER_ID_LENGTH } from '../workflows/domain/limits';
import type { OutboxEvent } from '../workflows/domain/node/outbox';
import { SHOWN_NAME, thresholdNamed, type BandThresholdName } from '../workflows/domain/threshold/band';
import { ULID_LENGTH } from '../workflows/domain/ulid';

export interface EntryNames {
  readonly attributePrefix: string;
  readonly bandThresholdName: BandThresholdName;
}

/** A field of a stream entry: its name, its text for an event, and its JSON schema. */
interface Field {
  readonly name: string;
  /** Set if EVENT_ATTRIBUTE_PREFIX is put before the name. */
  readonly isAttribute?: true;
  readonly textOf: (nodeId: string, event: OutboxEvent, names: EntryNames) => string;
  readonly schema: (type: EventType) => JsonSchema;
}

const ofNode: Omit<Field, 'name'> = {
  textOf: (nodeId) => nodeId,
  schema: () => ({ format: 'uuid', description: 'The node.' }),
};

/**
 * The fields of a stream entry in order, all of them text. The first two are attributes, by which a consumer can choose
 * entries. The rest is the envelope, which docs/events.md describes.
 */
const fields: ReadonlyArray<Field> = [
  {
    name: 'EventType',
    isAttribute: true,
    textOf: (_, { type }) => type,
    schema: (type) => ({ const: type, description: 'The type; EVENT_ATTRIBUTE_PREFIX is its prefix.' }),
  },
  { name: 'Aggregate', isAttribute: true, ...ofNode },
  { name: 'aggregateId', ...ofNode },
  {
    name: 'sequenceId',
    textOf: (_, { sequenceId }) => sequenceId,
    schema: () => ({
      minLength: ULID_LENGTH,
      maxLength: ULID_LENGTH,
      description: 'A ULID, rising strictly within a node.',
    }),
  },
  {
    name: 'timestamp',
    textOf: (_, { timestamp }) => String(timestamp),
    schema: () => ({ pattern: '^[0-9]+$', description: 'Epoch milliseconds; a 64-bit integer.' }),
  },
  { name: 'type', textOf: (_, { type }) => type, schema: (type) => ({ const: type, description: 'The type.' }) },
  {
    name: 'data',
    textOf: (_, event, { bandThresholdName }) => JSON.stringify(dataNaming(bandThresholdName, event)),
    schema: () => ({
      contentMediaType: 'application/json',
      description: 'The payload: a marshaled JSON object, UTF-8.',
    }),
  },
  {
    name: 'userId',
    textOf: (_, { userId }) => userId,
    schema: () => ({
      maxLength: USER_ID_LENGTH,
      description: 'The user who caused it, or who had it republished (by default pas).',
    }),
  },
];

/** An event's payload for consumers. Workflows name a band's limits `SHOWN_NAME`; here the name is BAND_THRESHOLD_NAME. */
const dataNaming = (name: BandThresholdName, { data }: OutboxEvent): OutboxEvent['data'] =>
  name !== SHOWN_NAME && Object.hasOwn(data, 'threshold')
    ? { ...data, threshold: thresholdNamed(name, data['threshold']) }
    : data;

export const fieldNames = (prefix: string): ReadonlyArray<string> => fields.map((field) => nameOf(field, prefix));

const nameOf = ({ name, isAttribute }: Field, prefix: string): string =>
  isAttribute === true ? `${prefix}.${name}` : name;

export const fieldTexts = (nodeId: string, event: OutboxEvent, names: EntryNames): ReadonlyArray<string> =>
  fields.map(({ textOf }) => textOf(nodeId, event, names));

export const fieldsSchema = (type: EventType, prefix: string): JsonSchema => ({
  type: 'object',
  // Attributes are optional: their prefix is a setting, and a validator made from this document may meet another prefix.
  required: fields.filter(({ isAttribute }) => isAttribute !== true).map(({ name }) => name),
  properties: Object.fromEntries(
    fields.map((field) => [nameOf(field, prefix), { type: 'string', ...field.schema(type) }] as const),
  ),
});

/** The fields of an entry as a client of Redis reads them. */
export type EntryFields = Readonly<Record<string, string | undefined>>;

export interface Entry {
  readonly id: string;
  readonly fields: EntryFields;
}

/** The id before a stream's first entry. A stream that never had an entry is at this position. */
export const STREAM_START = '0-0';

/** Whether the entry `id` stands before the entry `other` in the stream. */
export const isBefore = (id: string, other: string): boolean => {
  const [ms = 0, index = 0] = id.split('-').map(Number);
  const [otherMs = 0, otherIndex = 0] = other.split('-').map(Number);
  return ms < otherMs || (ms === otherMs && index < otherIndex);
};

/** The entries in a reply to XREAD or XREADGROUP for one stream. The client's types do not describe these replies. */
export const entriesIn = (reply: unknown): ReadonlyArray<Entry> =>
  ((reply as Reply)?.[0]?.messages ?? []).map(({ id, message }) => ({ id, fields: message }));

type Reply = ReadonlyArray<{
  readonly messages: ReadonlyArray<{ readonly id: string; readonly message: EntryFields }>;
}> | null;

/** The record of a Redis list in which names and values alternate. */
export const inPairs = <A>(list: ReadonlyArray<A>): Readonly<Record<string, A | undefined>> =>
  Object.fromEntries(list.flatMap((name, at) => (at % 2 === 0 ? [[String(name), list[at + 1]] as const] : [])));

/**
 * The event in a stream entry, or one line about what is wrong with the entry. Unknown members are ignored, because later
 * releases may add some. An entry is refused if its type is unknown or its fields contradict its data.
 */
export const readEntry = (entry: EntryFields): E.Either<string, StreamEvent> => {
  const { type, data = '', aggregateId, sequenceId } = entry;
  if (!EventType.is(type)) return E.left(`type ${JSON.stringify(type)} is not known`);
  return pipe(
    E.tryCatch(
      (): unknown => JSON.parse(data),
      () => 'data is not JSON',
    ),
    E.chain((content) => eventOf(type, content)),
    E.filterOrElse(
      (event) => event.aggregateId === aggregateId && event.sequenceId === sequenceId,
      () => 'its fields contradict its data',
    ),
  );
};

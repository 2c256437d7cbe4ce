import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { decode, type Codec, type Reason } from '../codecs';
import { PointAlarmStatusEvent, SetPointAlarmThresholdEvent, type StreamEvent } from './event';
import { withoutUnknown } from '../codecs/without-unknown';

/** The fields of a stream entry. */
export type EntryFields = Readonly<Record<string, string | undefined>>;

/**
 * The event in an entry of the stream, or what is wrong with the entry, in one line.
 *
 * Members that this release does not know are passed over: `/v1` only grows. A type that it does not know is refused, and
 * so is an entry whose fields contradict its data.
 */
export const readEvent = (fields: EntryFields): E.Either<string, StreamEvent> => {
  const { type, data = '' } = fields;
  if (!isEventType(type)) return E.left(`type ${JSON.stringify(type)} is not known`);
  return pipe(
    E.tryCatch(
      (): unknown => JSON.parse(data),
      () => 'data is not JSON',
    ),
    E.chain((content) => eventOf(type, content)),
    E.filterOrElse(agreesWith(fields), contradiction),
  );
};

/** Whether `type` is one that this release publishes. */
export const isEventType = (type: unknown): type is StreamEvent['type'] =>
  type === 'PointAlarmStatusEvent' || type === 'SetPointAlarmThresholdEvent';

/** The event of `type` whose data is `content`, or what is wrong with it, in one line. */
export const eventOf = (type: StreamEvent['type'], content: unknown): E.Either<string, StreamEvent> => {
  switch (type) {
    case 'PointAlarmStatusEvent':
      return pipe(
        contentOf(PointAlarmStatusEvent, content),
        E.map((decoded) => ({ type, ...decoded })),
      );
    case 'SetPointAlarmThresholdEvent':
      return pipe(
        contentOf(SetPointAlarmThresholdEvent, content),
        E.map((decoded) => ({ type, ...decoded })),
      );
  }
};

const contentOf = <A>(codec: Codec<A>, content: unknown): E.Either<string, A> =>
  E.mapLeft(lineOf)(decode(codec, withoutUnknown(codec.schema, content)));

const lineOf = (reasons: ReadonlyArray<Reason>): string =>
  reasons.map(({ name, reason }) => `data ${name} ${reason}`).join('; ');

const agreesWith =
  ({ aggregateId, sequenceId }: EntryFields) =>
  (event: StreamEvent): boolean =>
    event.aggregateId === aggregateId && event.sequenceId === sequenceId;

const contradiction = (): string => 'its fields contradict its data';

import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { decode, type Codec, type Reason } from '../codecs';
import { PointAlarmStatusEvent, SetPointAlarmThresholdEvent, type StreamEvent } from './event';
import { withoutUnknown } from './without-unknown';

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
  switch (type) {
    case 'PointAlarmStatusEvent':
      return pipe(
        contentOf(PointAlarmStatusEvent, data),
        E.map((content) => ({ type, ...content })),
        E.filterOrElse(agreesWith(fields), contradiction),
      );
    case 'SetPointAlarmThresholdEvent':
      return pipe(
        contentOf(SetPointAlarmThresholdEvent, data),
        E.map((content) => ({ type, ...content })),
        E.filterOrElse(agreesWith(fields), contradiction),
      );
    default:
      return E.left(`type ${JSON.stringify(type)} is not known`);
  }
};

const contentOf = <A>(codec: Codec<A>, data: string): E.Either<string, A> =>
  pipe(
    E.tryCatch(
      (): unknown => JSON.parse(data),
      () => 'data is not JSON',
    ),
    E.chain((json) => E.mapLeft(lineOf)(decode(codec, withoutUnknown(codec.schema, json)))),
  );

const lineOf = (reasons: ReadonlyArray<Reason>): string =>
  reasons.map(({ name, reason }) => `data ${name} ${reason}`).join('; ');

const agreesWith =
  ({ aggregateId, sequenceId }: EntryFields) =>
  (event: StreamEvent): boolean =>
    event.aggregateId === aggregateId && event.sequenceId === sequenceId;

const contradiction = (): string => 'its fields contradict its data';

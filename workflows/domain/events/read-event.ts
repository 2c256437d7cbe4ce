import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { decode, type Codec, type Reason } from '../codecs';
import { withoutUnknown } from '../codecs/without-unknown';
import { PointAlarmStatusEvent, SetPointAlarmThresholdEvent, type EventType, type StreamEvent } from './event';

/** The event of `type` whose data is `content`, or what is wrong with it, in one line. Unknown members are passed over. */
export const eventOf = (type: EventType, content: unknown): E.Either<string, StreamEvent> => {
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

import * as c from '../codecs';
import { REQUEST_NAME_LENGTH } from '../limits';

const VERSION_0 = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/u;
const LATER = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/u;
const ZEROS = /^0+$/u;

/** The content of a `traceparent` header, or undefined if it is malformed. Of later versions only the known fields are read. */
export const traceContextOf = (traceparent: string) => {
  const [, traceId = '', spanId = '', flags = ''] =
    VERSION_0.exec(traceparent) ?? (traceparent.startsWith('00') ? null : LATER.exec(traceparent)) ?? [];
  if (traceId === '' || ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: Number.parseInt(flags, 16) % 2 === 1 };
};

/** A place in a trace (W3C Trace Context): ids of 32 and 16 hex digits. */
export type TraceContext = Readonly<NonNullable<ReturnType<typeof traceContextOf>>>;

export const traceparentOf = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

const traceparent = c.fromText(
  'traceparent',
  {},
  (input) => (VERSION_0.test(input) && traceContextOf(input) !== undefined ? input : undefined),
  'must be a traceparent of version 00',
);

/** The HTTP call that caused a command, for logs and events. Recognising repeats ignores it, as they are other calls. */
export const Cause = c.partial('cause', { requestId: c.text(REQUEST_NAME_LENGTH, 1), traceparent });
export type Cause = c.TypeOf<typeof Cause>;

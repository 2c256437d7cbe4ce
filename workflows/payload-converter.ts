import { defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common';

/**
 * The SDK's own converter, but that it never throws: in a signal that would fail the workflow task, which is tried for ever,
 * and the node would be stuck. A payload that cannot be read becomes what no codec accepts, so it is refused like others.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the interface promises a type that nothing checks
  fromPayload: <T>(payload: Payload) => readOnce(payload) as T,
};

/** The SDK reads the argument of an update for the validator and again for the handler; neither changes it. */
const read = new WeakMap<Payload, unknown>();
const readOnce = (payload: Payload): unknown => {
  const known = read.get(payload);
  if (known !== undefined) return known;
  const value = readable(payload);
  read.set(payload, value);
  return value;
};

const readable = (payload: Payload): unknown => {
  try {
    const value: unknown = defaultPayloadConverter.fromPayload(payload);
    return value instanceof Uint8Array ? unreadable('it is bytes') : value;
  } catch (fault) {
    return unreadable(String(fault));
  }
};

const unreadable = (why: string): unknown => ({ unreadable: why.slice(0, 200) });

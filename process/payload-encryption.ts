import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec, SerializationContext } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import * as E from 'fp-ts/Either';
import type { PayloadKey, PayloadKeys } from './settings/codecs';

const ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
const WORKFLOW_ID = 'workflow-id';
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const { Payload: Protobuf } = temporal.api.common.v1;

/**
 * Encrypts the payloads that Temporal keeps. Each payload can be decrypted only as a payload of its own workflow. Plain
 * payloads are read as they are.
 *
 * `unreadable` handles a payload that cannot be decrypted; if it throws, the caller of the SDK gets the exception. By default
 * it throws, which suits clients, since they read answers of workflows.
 */
export const payloadEncryption = (
  { encrypts, decrypt: keys }: PayloadKeys,
  unreadable: (payload: Payload, why: string) => Payload = refuse,
): PayloadCodec => {
  const openFor =
    (workflowId: string) =>
    (payload: Payload): Payload =>
      isEncrypted(payload)
        ? E.getOrElse((why: string) => unreadable(payload, why))(decrypt(keys, payload, workflowId))
        : payload;
  return {
    encode: (payloads, context) =>
      Promise.resolve(
        encrypts === undefined ? payloads : payloads.map((payload) => encrypt(encrypts, payload, workflowIn(context))),
      ),
    decode: (payloads, context) => Promise.resolve(payloads).then((all) => all.map(openFor(workflowIn(context)))),
  };
};

/** The id of the workflow that a payload belongs to, directly or through one of its activities. */
const workflowIn = (context: SerializationContext | undefined): string => context?.workflowId ?? '';

/**
 * Encrypts the whole payload, its metadata included, to `nonce | ciphertext | tag`. The ids of the key and of the workflow are
 * authenticated with it. They also stand in the new metadata, so that a codec server can decrypt without any context.
 */
export const encrypt = ({ id, key }: PayloadKey, payload: Payload, workflowId: string): Payload => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(boundTo(id, workflowId));
  const sealed = [nonce, cipher.update(Protobuf.encode(payload).finish()), cipher.final(), cipher.getAuthTag()];
  return {
    metadata: { encoding: Buffer.from(ENCODING), [KEY_ID]: Buffer.from(id), [WORKFLOW_ID]: Buffer.from(workflowId) },
    data: Buffer.concat(sealed),
  };
};

const boundTo = (keyId: string, workflowId: string): Buffer => Buffer.from(JSON.stringify([keyId, workflowId]));

export const decrypt = (
  keys: ReadonlyArray<PayloadKey>,
  { metadata, data }: Payload,
  workflowId: string,
): E.Either<string, Payload> => {
  const id = textOf(metadata?.[KEY_ID]);
  const known = keys.find((key) => key.id === id);
  if (known === undefined)
    return E.left(`it is encrypted by the key ${JSON.stringify(id.slice(0, 64))}, which PAYLOAD_KEY lacks`);
  if (textOf(metadata?.[WORKFLOW_ID]) !== workflowId) return E.left('it was encrypted for another workflow');
  return E.tryCatch(
    () => {
      const sealed = Buffer.from(data ?? []);
      const decipher = createDecipheriv(CIPHER, known.key, sealed.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(boundTo(id, workflowId))
        .setAuthTag(sealed.subarray(Math.max(NONCE_BYTES, sealed.length - TAG_BYTES)));
      const plain = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
      return Protobuf.decode(Buffer.concat([plain, decipher.final()]));
    },
    () => `it does not decrypt by the key ${JSON.stringify(id)}: another key of that id, or it was changed`,
  );
};

const isEncrypted = ({ metadata }: Payload): boolean => textOf(metadata?.['encoding']) === ENCODING;

const textOf = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('utf8');

const refuse = (_: Payload, why: string): never => {
  throw new Error(`an answer of the node cannot be read: ${why}`);
};

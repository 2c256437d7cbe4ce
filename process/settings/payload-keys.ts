import { createSecretKey, type KeyObject } from 'node:crypto';
import { fromText } from './from-text';

/** A key of AES-256, as an object that no log prints. */
export interface PayloadKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Without an encrypting key, payloads are written plain. */
export interface PayloadKeys {
  readonly encrypts?: PayloadKey;
  readonly decrypt: ReadonlyArray<PayloadKey>;
}

/** `<id>:<base64>[,<id>:<base64>…]`: the first encrypts, all decrypt; with `none` in front all decrypt and none encrypts. */
export const payloadKeys = fromText<PayloadKeys>(
  'payload keys',
  (text) => {
    const parts = text.split(',');
    const plain = parts[0] === NONE;
    const found = parts.slice(plain ? 1 : 0).map(keyOf);
    const decrypt = found.filter((key) => key !== undefined);
    const [first] = decrypt;
    const isWhole = first !== undefined && new Set(decrypt.map(({ id }) => id)).size === found.length;
    return isWhole ? { decrypt, ...(!plain && { encrypts: first }) } : undefined;
  },
  'must be keys with commas between, each as id:32 bytes in base64, no id twice',
);

const NONE = 'none';
const ONE = /^([\w.-]{1,64}):([A-Za-z0-9+/]{43}=)$/u;

const keyOf = (text: string): PayloadKey | undefined => {
  const [, id = '', base64 = ''] = ONE.exec(text) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  return id !== '' && bytes.toString('base64') === base64 ? { id, key: createSecretKey(bytes) } : undefined;
};

import { createSecretKey, type KeyObject } from 'node:crypto';
import { fromText, type Codec } from '../../workflows/domain/codecs';

/** A setting whose text `read` turns into a value. The reason for a refusal never quotes the text, which may be a secret. */
const setting = <A>(read: (text: string) => A | undefined, reason: string): Codec<A> =>
  fromText('setting', {}, read, reason);

const matching = (form: RegExp, reason: string): Codec<string> =>
  setting((text) => (form.test(text) ? text : undefined), reason);

export const integer = (least: number, most: number): Codec<number> =>
  setting(
    (text) => (/^\d{1,15}$/u.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined),
    `must be an integer from ${least} to ${most}`,
  );

/** A TCP port; 0 takes any free one. */
export const port = integer(0, 65_535);

/** A time in milliseconds, from `least` to an hour. */
export const duration = (least: number): Codec<number> => integer(least, 3_600_000);

const either = (yes: string, no: string): Codec<boolean> =>
  setting((text) => (text === yes || text === no ? text === yes : undefined), `must be ${yes} or ${no}`);

export const onOff = either('on', 'off');
export const trueFalse = either('true', 'false');

export const singleLine = setting(
  (text) => (text.length <= 1_024 && /^\P{C}+$/u.test(text) ? text : undefined),
  'must be one line of at most 1024 printable characters',
);

export const token = matching(/^[!-~]{1,16384}$/u, 'must be a token: printable ASCII without spaces');

/** Any text, line breaks included: a certificate, for instance. */
export const anyText = matching(/^/u, 'must be text');

/** `host:port` or `[address]:port`, as gRPC takes it; the port may be left out. */
export const address = matching(
  /^(?:[^\s:/@[\]]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/iu,
  'must be an address such as 127.0.0.1:7233',
);

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** `host:port,host:port`: the addresses of several servers, such as Redis' sentinels. */
export const places = setting<ReadonlyArray<HostPort>>((text) => {
  const found = text.split(',').map((one) => /^(?:([^\s:/@[\]]+)|\[([0-9a-f:.]+)\]):(\d{1,5})$/iu.exec(one.trim()));
  const read = found.map((one) => ({ host: one?.[1] ?? one?.[2] ?? '', port: Number(one?.[3]) }));
  return read.every(({ port: number }) => number > 0 && number <= 65_535) ? read : undefined;
}, 'must be a list such as 10.0.0.1:26379,10.0.0.2:26379');

/** A URL without white space or line breaks: JavaScript's `URL` ignores them, but others that read the text may not. */
const url = (isTaken: (url: URL) => boolean, reason: string): Codec<string> =>
  setting((text) => (/^\S+$/u.test(text) && URL.canParse(text) && isTaken(new URL(text)) ? text : undefined), reason);

/** An http or https URL without a user name or password, because `fetch` refuses a URL that has them. */
export const webUrl = url(
  ({ protocol, username, password }) => /^https?:$/u.test(protocol) && username === '' && password === '',
  'must be an http or https URL without a user name or password',
);

export const redisUrl = url(
  ({ protocol, username, password, hostname, pathname }) =>
    /^rediss?:$/u.test(protocol) &&
    hostname !== '' &&
    /^\/?\d{0,9}$/u.test(pathname) &&
    [username, password, hostname].every(isPercentEncoded),
  'must be a Redis URL such as redis://127.0.0.1:6379',
);

const isPercentEncoded = (text: string): boolean => {
  try {
    return typeof decodeURIComponent(text) === 'string';
  } catch {
    return false;
  }
};

/** A key for AES-256. It is a `KeyObject`, because a log would print the bytes of a text or buffer. */
export interface PayloadKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Keys that encrypt and decrypt payloads. Without `encrypts`, payloads are written plain. */
export interface PayloadKeys {
  readonly encrypts?: PayloadKey;
  readonly decrypt: ReadonlyArray<PayloadKey>;
}

/** `<id>:<base64>[,<id>:<base64>…]`: the first key encrypts, and all keys decrypt. After a leading `none`, no key encrypts. */
export const payloadKeys = setting<PayloadKeys>((text) => {
  const parts = text.split(',');
  const plain = parts[0] === NONE;
  const found = parts.slice(plain ? 1 : 0).map(keyOf);
  const decrypt = found.filter((key) => key !== undefined);
  const [first] = decrypt;
  const isWhole = first !== undefined && new Set(decrypt.map(({ id }) => id)).size === found.length;
  return isWhole ? { decrypt, ...(!plain && { encrypts: first }) } : undefined;
}, 'must be keys with commas between, each as id:32 bytes in base64, no id twice');

const NONE = 'none';
const ONE = /^([\w.-]{1,64}):([A-Za-z0-9+/]{43}=)$/u;

const keyOf = (text: string): PayloadKey | undefined => {
  const [, id = '', base64 = ''] = ONE.exec(text) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  return id !== '' && bytes.toString('base64') === base64 ? { id, key: createSecretKey(bytes) } : undefined;
};

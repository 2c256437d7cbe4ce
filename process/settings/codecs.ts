import { createSecretKey, type KeyObject } from 'node:crypto';
import { fromText, type Codec } from '../../workflows/domain/codecs';

/** A setting that `read` makes out of its text. A reason never quotes the text, which may be a secret. */
const setting = <A>(read: (text: string) => A | undefined, reason: string): Codec<A> =>
  fromText('setting', {}, read, reason);

/** An integer from `least` to `most`, in decimal digits. */
export const integer = (least: number, most: number): Codec<number> =>
  setting(
    (text) => (/^\d{1,15}$/u.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined),
    `must be an integer from ${least} to ${most}`,
  );

/** A TCP port; 0 takes any free one. */
export const port = integer(0, 65_535);

/** A time of `least` milliseconds to an hour. */
export const duration = (least: number): Codec<number> => integer(least, 3_600_000);

/** `on` or `off`. */
export const onOff: Codec<boolean> = setting(
  (text) => (text === 'on' ? true : text === 'off' ? false : undefined),
  'must be on or off',
);

/** `true` or `false`. */
export const trueFalse: Codec<boolean> = setting(
  (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  'must be true or false',
);

const PRINTABLE = /^\P{C}+$/u;

/** One line of at most 1,024 printable characters. */
export const line: Codec<string> = setting(
  (text) => (text.length <= 1_024 && PRINTABLE.test(text) ? text : undefined),
  'must be one line of at most 1024 printable characters',
);

/** A token that is valid in a header. */
export const token: Codec<string> = setting(
  (text) => (/^[!-~]{1,16384}$/u.test(text) ? text : undefined),
  'must be a token: printable ASCII without spaces',
);

/** Any text, line breaks included: a certificate, for instance. */
export const anyText: Codec<string> = setting((text) => text, 'must be text');

/** `host:port` or `[address]:port`, as gRPC takes it. */
export const address: Codec<string> = setting(
  (text) => (/^(?:[^\s:/@[\]]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/iu.test(text) ? text : undefined),
  'must be an address such as 127.0.0.1:7233',
);

/** `host:port,host:port`: servers of which any may be called. */
export const places: Codec<ReadonlyArray<{ readonly host: string; readonly port: number }>> = setting<
  ReadonlyArray<{ readonly host: string; readonly port: number }>
>((text) => {
  const found = text.split(',').map((one) => /^(?:([^\s:/@[\]]+)|\[([0-9a-f:.]+)\]):(\d{1,5})$/iu.exec(one.trim()));
  const read = found.flatMap((one) => (one === null ? [] : [{ host: one[1] ?? one[2] ?? '', port: Number(one[3]) }]));
  return read.length === found.length && read.every(({ port: number }) => number > 0 && number <= 65_535)
    ? read
    : undefined;
}, 'must be a list such as 10.0.0.1:26379,10.0.0.2:26379');

/** An http or https URL without credentials, which `fetch` would refuse. */
export const webUrl: Codec<string> = setting((text) => {
  const url = urlOf(text);
  const plain = url !== undefined && url.username === '' && url.password === '';
  return plain && (url.protocol === 'https:' || url.protocol === 'http:') ? text : undefined;
}, 'must be an http or https URL without a user name or password');

/** A Redis URL: `redis[s]://[[user]:password@]host[:port][/database]`. */
export const redisUrl: Codec<string> = setting((text) => {
  const url = urlOf(text);
  return url !== undefined &&
    (url.protocol === 'redis:' || url.protocol === 'rediss:') &&
    url.hostname !== '' &&
    /^\/?\d{0,9}$/u.test(url.pathname) &&
    [url.username, url.password, url.hostname].every(isPercentEncoded)
    ? text
    : undefined;
}, 'must be a Redis URL such as redis://127.0.0.1:6379');

const urlOf = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

const isPercentEncoded = (text: string): boolean => {
  try {
    return typeof decodeURIComponent(text) === 'string';
  } catch {
    return false;
  }
};

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

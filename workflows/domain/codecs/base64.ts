const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const CODES = Uint8Array.from(DIGITS, (digit) => digit.charCodeAt(0));
const PADDING = '='.charCodeAt(0);
/** What each character of ASCII is worth; -1 where it is no digit. */
const WORTH = Int8Array.from({ length: 128 }, (_, code) => DIGITS.indexOf(String.fromCharCode(code)));

/** `bytes` in base64 (RFC 4648, section 4). The workflow's sandbox has neither `Buffer` nor `btoa`. */
export const toBase64 = (bytes: Uint8Array): string => {
  const codes = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  for (let at = 0, to = 0; at < bytes.length; at += 3, to += 4) {
    // Beyond the end it is NaN, and none of its bits is set.
    const triple = (Number(bytes[at]) << 16) | (Number(bytes[at + 1]) << 8) | Number(bytes[at + 2]);
    codes[to] = Number(CODES[triple >>> 18]);
    codes[to + 1] = Number(CODES[(triple >>> 12) & 63]);
    codes[to + 2] = Number(CODES[(triple >>> 6) & 63]);
    codes[to + 3] = Number(CODES[triple & 63]);
  }
  return textOf(codes.fill(PADDING, codes.length - ((3 - (bytes.length % 3)) % 3)));
};

/** A call takes some tens of thousands of arguments. */
const CHUNK = 8_192;

/** Text of characters of ASCII. */
const textOf = (codes: Uint8Array): string => {
  const chunks: string[] = [];
  for (let at = 0; at < codes.length; at += CHUNK) {
    const chunk = codes.subarray(at, at + CHUNK) as ArrayLike<number> as number[]; // to spread it takes five times as long
    chunks.push(String.fromCharCode.apply(undefined, chunk));
  }
  return chunks.join('');
};

/** The bytes that `text` holds in base64; undefined where it is none, or not as `toBase64` writes it. */
export const fromBase64 = (text: string): Uint8Array | undefined => {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const digits = text.slice(0, text.length - padding) + NOTHING.repeat(padding);
  const bytes = new Uint8Array((digits.length / 4) * 3);
  for (let index = 0, at = 0; index < digits.length; index += 4, at += 3) {
    const upper = (worthAt(digits, index) << 18) | (worthAt(digits, index + 1) << 12);
    const triple = upper | (worthAt(digits, index + 2) << 6) | worthAt(digits, index + 3);
    if (triple < 0) return undefined;
    bytes[at] = triple >>> 16;
    bytes[at + 1] = triple >>> 8;
    bytes[at + 2] = triple;
  }
  const isPadding = bytes.subarray(bytes.length - padding).every((byte) => byte === 0);
  return isPadding ? bytes.subarray(0, bytes.length - padding) : undefined;
};

/** The digit that is worth 0. */
const NOTHING = DIGITS.charAt(0);

const worthAt = (digits: string, index: number): number => WORTH[digits.charCodeAt(index)] ?? -1;

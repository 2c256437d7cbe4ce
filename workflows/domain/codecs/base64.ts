const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const CODES = Uint8Array.from(DIGITS, (digit) => digit.charCodeAt(0));
const PADDING = '='.charCodeAt(0);
/** What each character of ASCII is worth; -1 where it is no digit. */
const WORTH: ReadonlyArray<number> = Array.from({ length: 128 }, (_, code) =>
  DIGITS.indexOf(String.fromCharCode(code)),
);

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
  const digits = text.length - padding;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let bits = 0;
  let read = 0;
  let at = 0;
  for (let index = 0; index < digits; index += 1) {
    const value = WORTH[text.charCodeAt(index)] ?? -1;
    if (value < 0) return undefined;
    bits = ((bits << 6) | value) & 0xffffff;
    read += 6;
    if (read >= 8) {
      read -= 8;
      bytes[at] = (bits >>> read) & 255;
      at += 1;
    }
  }
  return (bits & ((1 << read) - 1)) === 0 ? bytes : undefined;
};

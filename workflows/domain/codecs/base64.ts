const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** What each character of ASCII is worth; -1 where it is no digit. */
const WORTH: ReadonlyArray<number> = Array.from({ length: 128 }, (_, code) =>
  DIGITS.indexOf(String.fromCharCode(code)),
);

/** `bytes` in base64 (RFC 4648, section 4). The workflow's sandbox has neither `Buffer` nor `btoa`. */
export const toBase64 = (bytes: Uint8Array): string => {
  const quads: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    // Beyond the end it is NaN, and none of its bits is set.
    const triple = (Number(bytes[at]) << 16) | (Number(bytes[at + 1]) << 8) | Number(bytes[at + 2]);
    quads.push(
      DIGITS.charAt(triple >>> 18) +
        DIGITS.charAt((triple >>> 12) & 63) +
        DIGITS.charAt((triple >>> 6) & 63) +
        DIGITS.charAt(triple & 63),
    );
  }
  const padding = (3 - (bytes.length % 3)) % 3;
  return padding === 0 ? quads.join('') : quads.join('').slice(0, -padding) + '='.repeat(padding);
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

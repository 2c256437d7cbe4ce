import { refine, text, type Codec } from '../codecs';
import { hardLimits } from '../limits';

/**
 * The lines of a spectrum in a compact form. Evenly spaced lines are given by `start` and `step`; otherwise `x` has the place
 * of each line, with ten significant digits. `y` has the amplitudes, with six. `x` and `y` are base64 of words of 6 and 4 bytes
 * (`wordOf`), the least byte first. 12,800 evenly spaced lines stay below 70 KB as JSON.
 */
export type PackedLines =
  { readonly start: number; readonly step: number; readonly y: string } | { readonly x: string; readonly y: string };

/** Lines may be off their even places by this fraction of their x (or of the step, if greater): rounding errors only. */
const ROUNDING = 1e-9;

export const packLines = (lines: ReadonlyArray<{ readonly x: number; readonly y: number }>): PackedLines => {
  const y = packAmplitudes(lines.map((line) => line.y));
  const start = lines[0]?.x ?? 0;
  const last = lines[lines.length - 1]?.x ?? 0;
  const step = lines.length > 1 ? (last - start) / (lines.length - 1) : 0;
  const even = lines.every(({ x }, index) => Math.abs(x - (start + index * step)) <= ROUNDING * Math.max(x, step));
  return even ? { start, step, y } : { x: packPlaces(lines.map(({ x }) => x)), y };
};

export const lineCount = ({ y }: PackedLines): number => Math.floor((y.length * 3) / 4 / AMPLITUDE.bytes);

/** The place of each line on the frequency axis, in the spectrum's x unit. */
export const positionsOf = (lines: PackedLines): Readonly<Float64Array> =>
  'x' in lines
    ? valuesIn(PLACE, lines.x)
    : new Float64Array(lineCount(lines)).map((_, index) => lines.start + index * lines.step);

export const amplitudesOf = ({ y }: PackedLines): Readonly<Float64Array> => valuesIn(AMPLITUDE, y);

/** Packs the places of lines on the frequency axis. Ten digits distinguish lines that are a billionth of their place apart. */
export const packPlaces = (x: ReadonlyArray<number>): string => packed(PLACE, x);

export const packAmplitudes = (y: ReadonlyArray<number>): string => packed(AMPLITUDE, y);

/** How a number is packed: its significant digits, the least integer with so many digits, and the bytes of its word. */
const AMPLITUDE = { digits: 6, least: 1e5, bytes: 4 } as const;
const PLACE = { digits: 10, least: 1e9, bytes: 6 } as const;
type Form = typeof AMPLITUDE | typeof PLACE;

const packed = (form: Form, values: ReadonlyArray<number>): string => {
  const { bytes } = form;
  const view = new DataView(new ArrayBuffer(values.length * bytes));
  values.forEach((value, index) => {
    const word = wordOf(value, form);
    view.setUint32(index * bytes, word % LOW, true);
    if (bytes === 6) view.setUint16(index * bytes + 4, Math.floor(word / LOW), true);
  });
  return toBase64(new Uint8Array(view.buffer));
};

const valuesIn = (form: Form, text: string): Readonly<Float64Array> => unpacked(form, text) ?? new Float64Array(0);

/** The values in `text`; undefined if `text` is not base64 of whole words. */
const unpacked = ({ bytes }: Form, text: string): Readonly<Float64Array> | undefined => {
  const packedBytes = fromBase64(text);
  if (packedBytes === undefined || packedBytes.length % bytes !== 0) return undefined;
  const view = new DataView(packedBytes.buffer);
  const values = new Float64Array(packedBytes.length / bytes);
  for (let index = 0; index < values.length; index += 1) {
    const low = view.getUint32(index * bytes, true);
    const high = bytes === 6 ? view.getUint16(index * bytes + 4, true) * (LOW / EXPONENTS) : 0;
    values[index] = valueOf(high + (low >>> EXPONENT_BITS), (low & (EXPONENTS - 1)) - EXPONENTS / 2);
  }
  return values;
};

const LOW = 2 ** 32;
const EXPONENT_BITS = 12;
const EXPONENTS = 2 ** EXPONENT_BITS;

/** Packs a number: its significant digits as an integer, then 12 bits with the power of ten, biased. 0 becomes 0. */
const wordOf = (value: number, { digits, least }: Form): number => {
  const exponent = Math.floor(Math.log10(value)) - (digits - 1);
  const power = EXACT_POWERS[Math.abs(exponent)] ?? NaN;
  const scaled = exponent < 0 ? value * power : value / power;
  const integer = Math.round(scaled);
  const isSure = Math.abs(scaled - integer) < SURELY_ROUNDED && scaled >= least && integer < 10 * least;
  return isSure ? wordFrom(integer, exponent) : exactWordOf(value, digits);
};

/** `scaled` has an error below a millionth. If it is nearer to an integer than this, it surely rounds to the right one. */
const SURELY_ROUNDED = 0.499_99;

const exactWordOf = (value: number, digits: number): number => {
  const [text = '', exponent = ''] = Math.min(value, LARGEST)
    .toExponential(digits - 1)
    .split('e');
  const integer = Number(text.replace('.', ''));
  return integer === 0 ? 0 : wordFrom(integer, Number(exponent) - (digits - 1));
};

const wordFrom = (integer: number, exponent: number): number => integer * EXPONENTS + exponent + EXPONENTS / 2;

const valueOf = (integer: number, exponent: number): number => {
  const power = EXACT_POWERS[exponent < 0 ? -exponent : exponent];
  if (power === undefined) return Number(`${integer}e${exponent}`);
  return exponent < 0 ? integer / power : integer * power;
};

/** The greatest number that is still finite when rounded to ten digits. */
const LARGEST = 1.797693134e308;

/** The powers of ten that a 64-bit float holds exactly, so that a product or a quotient with one is rounded just once. */
const EXACT_POWERS: ReadonlyArray<number> = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

const packedNumbers = (form: Form): Codec<string> =>
  refine(text(4 * Math.ceil((hardLimits.spectrumLines * form.bytes) / 3)), (given) => {
    const values = unpacked(form, given);
    return values?.every(Number.isFinite) === true
      ? []
      : [{ name: '', reason: `must be base64 of at most ${hardLimits.spectrumLines} finite numbers` }];
  });

export const packedPlaces: Codec<string> = packedNumbers(PLACE);
export const packedAmplitudes: Codec<string> = packedNumbers(AMPLITUDE);

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const CODES = Uint8Array.from(DIGITS, (digit) => digit.charCodeAt(0));
const PADDING = '='.charCodeAt(0);
/** The value of each ASCII character as a digit of base64; -1 if the character is no such digit. */
const WORTH = Int8Array.from({ length: 128 }, (_, code) => DIGITS.indexOf(String.fromCharCode(code)));

/** `bytes` in base64 (RFC 4648, section 4). The workflow's sandbox has neither `Buffer` nor `btoa`. */
export const toBase64 = (bytes: Uint8Array): string => {
  const codes = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  for (let at = 0, to = 0; at < bytes.length; at += 3, to += 4) {
    // A byte beyond the end is NaN, which counts as 0 in bitwise operators.
    const triple = (Number(bytes[at]) << 16) | (Number(bytes[at + 1]) << 8) | Number(bytes[at + 2]);
    codes[to] = Number(CODES[triple >>> 18]);
    codes[to + 1] = Number(CODES[(triple >>> 12) & 63]);
    codes[to + 2] = Number(CODES[(triple >>> 6) & 63]);
    codes[to + 3] = Number(CODES[triple & 63]);
  }
  return new TextDecoder().decode(codes.fill(PADDING, codes.length - ((3 - (bytes.length % 3)) % 3)));
};

/** The bytes that `text` holds in base64; undefined if `text` is not base64 exactly as `toBase64` writes it. */
export const fromBase64 = (text: string): Uint8Array | undefined => {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const digits = text.slice(0, text.length - padding) + 'A'.repeat(padding);
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

const worthAt = (digits: string, index: number): number => WORTH[digits.charCodeAt(index)] ?? -1;

const lengthOf = (length: number): ReadonlyArray<number> =>
  length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];

/** The few forms of DER that a certificate is made of, as ITU-T X.690 has them. */
const element =
  (tag: number) =>
  (...contents: ReadonlyArray<Uint8Array>): Buffer => {
    const body = Buffer.concat(contents);
    return Buffer.concat([Buffer.from([tag, ...lengthOf(body.length)]), body]);
  };

export const sequence = element(0x30);
export const set = element(0x31);
export const octets = element(0x04);
export const explicit = (tag: number): ReturnType<typeof element> => element(0xa0 + tag);
export const implicit = (tag: number): ReturnType<typeof element> => element(0x80 + tag);
export const yes = element(0x01)(Buffer.from([0xff]));
export const objectId = (hex: string): Buffer => element(0x06)(Buffer.from(hex, 'hex'));
export const bits = (content: Uint8Array): Buffer => element(0x03)(Buffer.from([0]), content);
export const text = (content: string): Buffer => element(0x0c)(Buffer.from(content));

/** Big-endian; the first byte is neither 0 nor above 0x7f. */
export const integer = element(0x02);

/** A time before 2050, to the second. */
export const utcTime = (time: Date): Buffer =>
  element(0x17)(Buffer.from(`${time.toISOString().slice(2, 19).replace(/[-:T]/gu, '')}Z`));

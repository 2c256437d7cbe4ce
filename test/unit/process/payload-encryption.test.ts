import { createHash, createSecretKey } from 'node:crypto';
import type { Payload } from '@temporalio/common';
import fc from 'fast-check';
import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { decrypt, encrypt, payloadEncryption } from '../../../process/payload-encryption';
import type { PayloadKey } from '../../../process/settings/payload-keys';

const keyOf = (id: string, seed = id): PayloadKey => ({
  id,
  key: createSecretKey(createHash('sha256').update(seed).digest()),
});
const [old, young] = [keyOf('old'), keyOf('young')];
const refuse = (_: Payload, why: string): never => {
  throw new Error(why);
};

const bytes = fc.uint8Array({ maxLength: 300 });
const payloads: fc.Arbitrary<Payload> = fc.record({
  metadata: fc.dictionary(
    fc.string({ maxLength: 20 }).filter((name) => name !== '__proto__'),
    bytes,
    { maxKeys: 4 },
  ),
  data: bytes,
});

const plain = ({ metadata, data }: Payload): unknown => ({
  metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value)])),
  data: Buffer.from(data ?? []),
});
const text = (content: string): Payload => ({
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(JSON.stringify(content)),
});
const sealed = encrypt(old, text('the threshold is 51.25'));
const dataOf = ({ data }: Payload): Buffer => Buffer.from(data ?? []);

describe('a payload', () => {
  test('comes back as it was, whatever it holds', async () => {
    const encryption = payloadEncryption({ encrypts: old, decrypt: [old] }, refuse);
    await fc.assert(
      fc.asyncProperty(fc.array(payloads, { maxLength: 3 }), async (given) => {
        const back = await encryption.decode(await encryption.encode(given));
        expect(back.map(plain)).toEqual(given.map(plain));
      }),
    );
  });

  test('says how it is encrypted and by which key, and nothing else', () => {
    expect(Object.entries(sealed.metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString()])).toEqual(
      [
        ['encoding', 'binary/encrypted'],
        ['encryption-key-id', 'old'],
      ],
    );
    expect(dataOf(sealed).includes('threshold')).toBe(false);
    expect(dataOf(sealed).includes('json/plain')).toBe(false);
  });

  test('is encrypted anew each time: no nonce comes twice', () => {
    const nonces = Array.from({ length: 1_000 }, () => dataOf(encrypt(old, text('x'))).toString('hex', 0, 12));
    expect(new Set(nonces).size).toBe(1_000);
  });

  test('is read by every key, and written by the first', async () => {
    const rotated = payloadEncryption({ encrypts: young, decrypt: [young, old] }, refuse);
    expect((await rotated.decode([sealed])).map(plain)).toEqual([plain(text('the threshold is 51.25'))]);
    const [written] = await rotated.encode([text('x')]);
    expect(E.isRight(decrypt([young], written ?? {}))).toBe(true);
  });

  test('that is plain stays plain, and with none in front is written so', async () => {
    const reading = payloadEncryption({ decrypt: [old] }, refuse);
    expect(await reading.decode([text('x'), {}])).toEqual([text('x'), {}]);
    expect(await reading.encode([text('x')])).toEqual([text('x')]);
    expect((await reading.decode([sealed])).map(plain)).toEqual([plain(text('the threshold is 51.25'))]);
  });
});

describe('a payload is not taken', () => {
  test('of a key that is not known: the reason names it', () => {
    expect(decrypt([young], sealed)).toEqual(E.left('it is encrypted by the key "old", which PAYLOAD_KEY lacks'));
    expect(decrypt([], sealed)).toMatchObject({ left: expect.stringContaining('"old"') });
  });

  test('of another key by the same id', () => {
    expect(decrypt([keyOf('old', 'other')], sealed)).toMatchObject({
      left: expect.stringContaining('does not decrypt'),
    });
  });

  test.each([
    ['the nonce', 0],
    ['the first of the text', 12],
    ['the last of the text', dataOf(sealed).length - 17],
    ['the first of the tag', dataOf(sealed).length - 16],
    ['the last of the tag', dataOf(sealed).length - 1],
  ])('with a bit turned in %s', (_, at) => {
    for (let bit = 0; bit < 8; bit += 1) {
      const data = dataOf(sealed);
      data[at] = (data[at] ?? 0) ^ (1 << bit);
      expect(E.isLeft(decrypt([old], { ...sealed, data }))).toBe(true);
    }
  });

  test('cut off anywhere', () => {
    for (let length = 0; length < dataOf(sealed).length; length += 1) {
      expect(E.isLeft(decrypt([old], { ...sealed, data: dataOf(sealed).subarray(0, length) }))).toBe(true);
    }
  });

  test('under the id of another key, even where both keys are the same', () => {
    const renamed = { ...sealed.metadata, 'encryption-key-id': Buffer.from('young') };
    expect(E.isLeft(decrypt([keyOf('young', 'old')], { ...sealed, metadata: renamed }))).toBe(true);
  });

  test('without an id, or without anything', () => {
    expect(E.isLeft(decrypt([old], { metadata: { encoding: Buffer.from('binary/encrypted') } }))).toBe(true);
    expect(E.isLeft(decrypt([old], { metadata: sealed.metadata ?? {} }))).toBe(true);
  });

  test('and what then becomes of it is up to the caller', async () => {
    await expect(payloadEncryption({ decrypt: [young] }, refuse).decode([sealed])).rejects.toThrow('"old"');
    const passed = await payloadEncryption({ decrypt: [young] }, (payload) => payload).decode([sealed]);
    expect(passed).toEqual([sealed]);
  });
});

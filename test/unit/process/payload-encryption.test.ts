import { createHash, createSecretKey } from 'node:crypto';
import type { Payload } from '@temporalio/common';
import fc from 'fast-check';
import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { decrypt, encrypt, payloadEncryption } from '../../../process/payload-encryption';
import type { PayloadKey } from '../../../process/settings/codecs';

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
const NODE = 'point-alarm-1';
const context = { type: 'workflow', namespace: 'default', workflowId: NODE } as const;
const sealed = encrypt(old, text('the threshold is 51.25'), NODE);
const dataOf = ({ data }: Payload): Buffer => Buffer.from(data ?? []);

describe('a payload', () => {
  test('comes back as it was, whatever it holds', async () => {
    const encryption = payloadEncryption({ encrypts: old, decrypt: [old] }, refuse);
    await fc.assert(
      fc.asyncProperty(fc.array(payloads, { maxLength: 3 }), async (given) => {
        const back = await encryption.decode(await encryption.encode(given, context), context);
        expect(back.map(plain)).toEqual(given.map(plain));
      }),
    );
  });

  test('says how it is encrypted, by which key and for which workflow, and nothing else', () => {
    const texts = Object.entries(sealed.metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString()]);
    const expected = { encoding: 'binary/encrypted', 'encryption-key-id': 'old', 'workflow-id': NODE };
    expect(Object.fromEntries(texts)).toEqual(expected);
    expect(dataOf(sealed).includes('threshold')).toBe(false);
    expect(dataOf(sealed).includes('json/plain')).toBe(false);
  });

  test('is encrypted anew each time: no nonce comes twice', () => {
    const nonces = Array.from({ length: 1_000 }, () => dataOf(encrypt(old, text('x'), NODE)).toString('hex', 0, 12));
    expect(new Set(nonces).size).toBe(1_000);
  });

  test('is read by every key, and written by the first', async () => {
    const rotated = payloadEncryption({ encrypts: young, decrypt: [young, old] }, refuse);
    expect((await rotated.decode([sealed], context)).map(plain)).toEqual([plain(text('the threshold is 51.25'))]);
    const [written] = await rotated.encode([text('x')], context);
    expect(E.isRight(decrypt([young], written ?? {}, NODE))).toBe(true);
  });

  test('that is plain stays plain, and with none in front is written so', async () => {
    const reading = payloadEncryption({ decrypt: [old] }, refuse);
    expect(await reading.decode([text('x'), {}], context)).toEqual([text('x'), {}]);
    expect(await reading.encode([text('x')], context)).toEqual([text('x')]);
    expect((await reading.decode([sealed], context)).map(plain)).toEqual([plain(text('the threshold is 51.25'))]);
  });
});

describe('a payload is not taken', () => {
  test('of a key that is not known: the reason names it', () => {
    expect(decrypt([young], sealed, NODE)).toEqual(E.left('it is encrypted by the key "old", which PAYLOAD_KEY lacks'));
    expect(decrypt([], sealed, NODE)).toMatchObject({ left: expect.stringContaining('"old"') });
  });

  test('of another key by the same id', () => {
    expect(decrypt([keyOf('old', 'other')], sealed, NODE)).toMatchObject({
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
      expect(E.isLeft(decrypt([old], { ...sealed, data }, NODE))).toBe(true);
    }
  });

  test('cut off anywhere', () => {
    for (let length = 0; length < dataOf(sealed).length; length += 1) {
      expect(E.isLeft(decrypt([old], { ...sealed, data: dataOf(sealed).subarray(0, length) }, NODE))).toBe(true);
    }
  });

  test('under the id of another key, even where both keys are the same', () => {
    const renamed = { ...sealed.metadata, 'encryption-key-id': Buffer.from('young') };
    expect(E.isLeft(decrypt([keyOf('young', 'old')], { ...sealed, metadata: renamed }, NODE))).toBe(true);
  });

  test('of another workflow, also by the id of this one', async () => {
    expect(decrypt([old], sealed, 'point-alarm-2')).toEqual(E.left('it was encrypted for another workflow'));
    const renamed = { ...sealed.metadata, 'workflow-id': Buffer.from('point-alarm-2') };
    expect(decrypt([old], { ...sealed, metadata: renamed }, 'point-alarm-2')).toMatchObject({
      left: expect.stringContaining('does not decrypt'),
    });
    const encryption = payloadEncryption({ encrypts: old, decrypt: [old] });
    const other = { ...context, workflowId: 'point-alarm-2' };
    await expect(encryption.decode([sealed], other)).rejects.toThrow('another workflow');
    await expect(encryption.decode([sealed])).rejects.toThrow('another workflow');
    const ofActivity = await encryption.encode([text('x')], {
      ...{ type: 'activity', namespace: 'default', workflowId: NODE, activityId: '1', isLocal: false },
    });
    expect((await encryption.decode(ofActivity, context)).map(plain)).toEqual([plain(text('x'))]);
  });

  test('without an id, or without anything', () => {
    expect(E.isLeft(decrypt([old], { metadata: { encoding: Buffer.from('binary/encrypted') } }, NODE))).toBe(true);
    expect(E.isLeft(decrypt([old], { metadata: sealed.metadata ?? {} }, NODE))).toBe(true);
  });

  test('and what then becomes of it is up to the caller', async () => {
    await expect(payloadEncryption({ decrypt: [young] }, refuse).decode([sealed], context)).rejects.toThrow('"old"');
    const passed = await payloadEncryption({ decrypt: [young] }, (payload) => payload).decode([sealed], context);
    expect(passed).toEqual([sealed]);
  });
});

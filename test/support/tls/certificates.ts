import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

const lengthOf = (length: number): ReadonlyArray<number> =>
  length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];

/** The few forms of DER that a certificate is made of, as ITU-T X.690 has them. */
const element =
  (tag: number) =>
  (...contents: ReadonlyArray<Uint8Array>): Buffer => {
    const body = Buffer.concat(contents);
    return Buffer.concat([Buffer.from([tag, ...lengthOf(body.length)]), body]);
  };

const sequence = element(0x30);
const set = element(0x31);
const octets = element(0x04);
const explicit = (tag: number): ReturnType<typeof element> => element(0xa0 + tag);
const implicit = (tag: number): ReturnType<typeof element> => element(0x80 + tag);
const yes = element(0x01)(Buffer.from([0xff]));
const objectId = (hex: string): Buffer => element(0x06)(Buffer.from(hex, 'hex'));
const bits = (content: Uint8Array): Buffer => element(0x03)(Buffer.from([0]), content);
const text = (content: string): Buffer => element(0x0c)(Buffer.from(content));

/** Big-endian; the first byte is neither 0 nor above 0x7f. */
const integer = element(0x02);

/** A time before 2050, to the second. */
const utcTime = (time: Date): Buffer =>
  element(0x17)(Buffer.from(`${time.toISOString().slice(2, 19).replace(/[-:T]/gu, '')}Z`));

export type Pair = { readonly cert: string; readonly key: string };

/** Who signs certificates; who trusts `cert` trusts what it issues. */
export interface Authority {
  readonly cert: string;
  /** A certificate for the host `name`; it ends in an hour, or when told. */
  readonly issue: (name: string, notAfter?: Date) => Pair;
}

const HOUR_MS = 3_600_000;
const ECDSA_WITH_SHA256 = sequence(objectId('2a8648ce3d040302'));

export const createAuthority = (name: string): Authority => {
  const keys = newKeys();
  const inAnHour = new Date(Date.now() + HOUR_MS);
  const cert = certificateOf({
    subject: name,
    issuer: name,
    of: keys,
    by: keys,
    notAfter: inAnHour,
    extension: isAuthority,
  });
  return {
    cert,
    issue: (host, notAfter = inAnHour) => {
      const of = newKeys();
      const extension = bearsName(host);
      return {
        cert: certificateOf({ subject: host, issuer: name, of, by: keys, notAfter, extension }),
        key: of.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
      };
    },
  };
};

type Keys = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };

interface Statement {
  readonly subject: string;
  readonly issuer: string;
  /** Whose certificate it is, and who signs it. */
  readonly of: Keys;
  readonly by: Keys;
  readonly notAfter: Date;
  readonly extension: Buffer;
}

const newKeys = (): Keys => generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** A certificate of version 3 as RFC 5280 has it. */
const certificateOf = ({ subject, issuer, of, by, notAfter, extension }: Statement): string => {
  const stated = sequence(
    explicit(0)(integer(Buffer.from([2]))),
    integer(Buffer.from([1]), randomBytes(8)),
    ECDSA_WITH_SHA256,
    nameOf(issuer),
    sequence(utcTime(new Date(notAfter.getTime() - 2 * HOUR_MS)), utcTime(notAfter)),
    nameOf(subject),
    of.publicKey.export({ format: 'der', type: 'spki' }),
    explicit(3)(sequence(extension)),
  );
  const der = sequence(stated, ECDSA_WITH_SHA256, bits(sign('sha256', stated, by.privateKey)));
  const lines = der.toString('base64').replace(/.{64}/gu, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
};

const nameOf = (commonName: string): Buffer => sequence(set(sequence(objectId('550403'), text(commonName))));

/** Basic constraints, critical. */
const isAuthority = sequence(objectId('551d13'), yes, octets(sequence(yes)));

/** The host as the subject's alternative name: the common name alone counts nowhere any more. */
const bearsName = (host: string): Buffer =>
  sequence(objectId('551d11'), octets(sequence(implicit(2)(Buffer.from(host)))));

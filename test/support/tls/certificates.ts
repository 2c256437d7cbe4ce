import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { bits, explicit, implicit, integer, objectId, octets, sequence, set, text, utcTime, yes } from './der';

/** A certificate and its key, in PEM. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** Who signs certificates; who trusts `cert` trusts what it issues. */
export interface Authority {
  readonly cert: string;
  /** A certificate for the host `name`; it ends in an hour, or when told. */
  readonly issue: (name: string, notAfter?: Date) => Pair;
}

const HOUR_MS = 3_600_000;
const ECDSA_WITH_SHA256 = sequence(objectId('2a8648ce3d040302'));

/** An authority of its own, made for a test. */
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

interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

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

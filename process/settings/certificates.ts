import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as E from 'fp-ts/Either';
import { reasonOf } from '../reason-of';

/** The content of the file at `path`, which the setting `name` names. Errors: it cannot be read; one line. */
export const readPem = (name: string, path: string): E.Either<string, string> =>
  E.tryCatch(
    () => readFileSync(path, 'utf8'),
    (error) => `${name}: ${reasonOf(error)}`,
  );

/** The fault of a text that is no certificate; TLS itself ignores an invalid authority silently. */
export const certificateFault = (pem: string | Buffer): string | undefined =>
  fails(() => new X509Certificate(pem)) ? 'must hold a certificate in PEM' : undefined;

export const keyFault = (pem: string | Buffer): string | undefined =>
  fails(() => createPrivateKey(Buffer.from(pem))) ? 'must hold a private key in PEM, without a passphrase' : undefined;

/** Whether `key` is the key of `certificate`; both are in PEM. */
export const areOnePair = (certificate: string | Buffer, key: string | Buffer): boolean =>
  new X509Certificate(certificate).checkPrivateKey(createPrivateKey(Buffer.from(key)));

const fails = (read: () => unknown): boolean => {
  try {
    read();
    return false;
  } catch {
    return true;
  }
};

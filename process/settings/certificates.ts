import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { reasonOf } from '../reason-of';
import { textOf, type Environment } from './read';

/** The authority in place of the system's, and the certificate that is shown with its key; all in PEM. */
export interface Certificates<Pem = string> {
  readonly ca?: Pem;
  readonly cert?: Pem;
  readonly key?: Pem;
}

type Names = Readonly<Record<keyof Certificates, string>>;

/** The certificates in the files that the settings `names` name, and by its name each file that cannot be read: one line. */
export const readCertificates = (env: Environment, names: Names) => {
  const read: Record<string, string> = {};
  const unreadable = new Map<string, string>();
  for (const [of, name] of Object.entries(names)) {
    const path = textOf(env, name);
    if (path === undefined) continue;
    try {
      read[of] = readFileSync(path, 'utf8');
    } catch (error) {
      unreadable.set(name, `${name}: ${reasonOf(error)}`);
    }
  }
  return { read, unreadable };
};

/** The faults of certificates, by the settings that gave them; TLS itself ignores an invalid authority silently. */
export const certificateFaults = (
  names: Names,
  { ca, cert, key }: Certificates<string | Uint8Array | undefined>,
): ReadonlyArray<string> => {
  const [authority, certificate] = [ca, cert].map((pem) => parsed((bytes) => new X509Certificate(bytes), pem));
  const privateKey = parsed(createPrivateKey, key);
  const isPair =
    typeof certificate !== 'object' || typeof privateKey !== 'object' || certificate.checkPrivateKey(privateKey);
  return [
    authority === 'invalid' && `${names.ca} must hold a certificate in PEM`,
    certificate === 'invalid' && `${names.cert} must hold a certificate in PEM`,
    privateKey === 'invalid' && `${names.key} must hold a private key in PEM, without a passphrase`,
    !isPair && `${names.key} must hold the key of ${names.cert}`,
  ].filter((fault) => fault !== false);
};

const parsed = <A>(parse: (pem: Buffer) => A, pem: string | Uint8Array | undefined): A | 'invalid' | undefined => {
  try {
    return pem === undefined ? undefined : parse(Buffer.from(pem));
  } catch {
    return 'invalid';
  }
};

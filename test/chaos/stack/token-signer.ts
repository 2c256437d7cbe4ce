import { importJWK, SignJWT } from 'jose';
import { ALGORITHM, AUDIENCE, developmentKey, ISSUER } from '../../../dev/stack/dev-auth';

/** A token of this user, good for hours. */
export type SignToken = (user: string) => Promise<string>;

/** Signs with the development key in `folder`, read once: the histories have a user for every write. */
export const tokenSigner = async (folder: string): Promise<SignToken> => {
  const { privateJwk } = await developmentKey(folder);
  const key = await importJWK(privateJwk, ALGORITHM);
  const header = { alg: ALGORITHM, ...(privateJwk.kid !== undefined && { kid: privateJwk.kid }) };
  return (user) =>
    new SignJWT()
      .setProtectedHeader(header)
      .setSubject(user)
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setIssuedAt()
      .setExpirationTime('12h')
      .sign(key);
};

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** The nodes of the tests' hierarchy: two points below a machine, and an id that it does not know. */
export const POINT = '11111111-1111-4111-8111-111111111111';
export const OTHER_POINT = '22222222-2222-4222-8222-222222222222';
export const MACHINE = '33333333-3333-4333-8333-333333333333';
export const STRANGER = '44444444-4444-4444-8444-444444444444';

/** Who may do everything everywhere, everything on one point, nothing. */
export const ADMIN = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
export const OWNER = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
export const NOBODY = 'cccccccc-cccc-4ccc-8ccc-cccccccccccc';

export const hierarchy = {
  nodes: [
    { id: MACHINE, type: 'machine' },
    { id: POINT, parent: MACHINE, type: 'measurement_point' },
    { id: OTHER_POINT, parent: MACHINE, type: 'measurement_point' },
  ],
};

export const grants = {
  grants: [
    { user: ADMIN, actions: ['*'], node: '*' },
    { user: OWNER, actions: ['*'], node: POINT },
  ],
};

export interface Callers {
  readonly jwksFile: string;
  readonly grantsFile: string;
  readonly hierarchyFile: string;
  readonly token: (userId: string, expiresAt?: string) => Promise<string>;
  readonly remove: () => Promise<void>;
}

/** Keys, grants and a hierarchy in a folder of their own, and tokens signed by the key. */
export const createCallers = async (tree: object = hierarchy): Promise<Callers> => {
  const folder = await mkdtemp(join(tmpdir(), 'point-alarm-callers-'));
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const key = { ...(await exportJWK(publicKey)), kid: 'test', alg: 'ES256', use: 'sig' };
  const file = async (name: string, content: unknown): Promise<string> => {
    await writeFile(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };
  return {
    jwksFile: await file('jwks.json', { keys: [key] }),
    grantsFile: await file('grants.json', grants),
    hierarchyFile: await file('hierarchy.json', tree),
    token: (userId, expiresAt = '5m') =>
      new SignJWT()
        .setProtectedHeader({ alg: 'ES256', kid: 'test' })
        .setSubject(userId)
        .setIssuedAt()
        .setExpirationTime(expiresAt)
        .sign(privateKey),
    remove: () => rm(folder, { recursive: true }),
  };
};

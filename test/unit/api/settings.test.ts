import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { authSettings, grantsSource } from '../../../api/settings';
import { apiSettings, type ApiSettings, type Environment } from '../../../process/settings';

const settingsOf = (env: Environment): ApiSettings => {
  const found = apiSettings(env);
  if (E.isLeft(found)) throw new Error(found.left.join('\n'));
  return found.right;
};
const byFiles = { AUTH_JWKS_FILE: 'jwks.json', GRANTS_FILE: 'grants.json' };
const byServices = { AUTH_JWKS_URL: 'https://idp/jwks', AUTHORIZER_URL: 'https://pdp/', AUTHORIZER_TOKEN: 'geheim' };

describe('the source of permissions', () => {
  test('is the file of grants', () => {
    expect(grantsSource(settingsOf(byFiles))).toEqual({ file: 'grants.json' });
  });

  test.each([
    ['500', '10000', 500],
    ['9000', '4000', 4_000],
  ])(
    'is a decision point, which is asked for %s ms at most, and no longer than a call of %s ms',
    (own, call, asked) => {
      const env = { ...byServices, AUTHORIZER_TIMEOUT_MS: own, CALL_DEADLINE_MS: call, AUTHORIZER_CACHE_MS: '0' };
      expect(grantsSource(settingsOf(env))).toEqual({
        authorizer: { url: 'https://pdp/', token: 'geheim', timeoutMs: asked, cacheMs: 0 },
      });
    },
  );
});

test('tokens are checked by the keys of a file or of an address, and by the claims that are set', () => {
  expect(authSettings(settingsOf(byFiles))).toEqual({
    jwks: { file: 'jwks.json' },
    userClaim: 'sub',
    requireExpiry: true,
  });
  const claims = { AUTH_ISSUER: 'idp', AUTH_AUDIENCE: 'alarms', AUTH_USER_CLAIM: 'oid', AUTH_REQUIRE_EXP: 'false' };
  const pauses = { AUTH_JWKS_COOLDOWN_MS: '2000', AUTH_JWKS_MAX_AGE_MS: '60000' };
  expect(authSettings(settingsOf({ ...byServices, ...claims, ...pauses }))).toEqual({
    jwks: { url: 'https://idp/jwks', cooldownMs: 2_000, maxAgeMs: 60_000 },
    issuer: 'idp',
    audience: 'alarms',
    userClaim: 'oid',
    requireExpiry: false,
  });
});

import type { ApiSettings } from '../process/settings';
import type { Limits } from '../workflows/domain/limits';

/** The size limits of a request, and the capacity of a node queue. */
export interface RequestLimits extends Limits {
  readonly bodyBytes: number;
  readonly patchBytes: number;
  readonly patchOperations: number;
  readonly batchNodes: number;
  readonly waitingCalls: number;
}

export const requestLimits = (settings: ApiSettings): RequestLimits => ({
  bodyBytes: settings.MAX_BODY_BYTES,
  patchBytes: settings.MAX_PATCH_BYTES,
  patchOperations: settings.MAX_PATCH_OPERATIONS,
  batchNodes: settings.MAX_BATCH_NODES,
  waitingCalls: settings.MAX_WAITING_CALLS,
  choices: settings.MAX_CHOICES,
  bands: settings.MAX_BANDS,
  hals: settings.MAX_HALS,
  textLength: settings.MAX_TEXT_LENGTH,
  spectrumLines: settings.MAX_SPECTRUM_LINES,
});

/** The accepted tokens, the claim that names the user, and whether an expiry is required. */
export interface AuthSettings {
  readonly jwks:
    { readonly url: string; readonly cooldownMs?: number; readonly maxAgeMs?: number } | { readonly file: string };
  readonly issuer?: string;
  readonly audience?: string;
  readonly userClaim: string;
  readonly requireExpiry: boolean;
}

export const authSettings = (settings: ApiSettings): AuthSettings => ({
  jwks:
    settings.AUTH_JWKS_URL === undefined
      ? { file: settings.AUTH_JWKS_FILE ?? '' } // one of them is set
      : {
          url: settings.AUTH_JWKS_URL,
          cooldownMs: settings.AUTH_JWKS_COOLDOWN_MS,
          maxAgeMs: settings.AUTH_JWKS_MAX_AGE_MS,
        },
  ...(settings.AUTH_ISSUER !== undefined && { issuer: settings.AUTH_ISSUER }),
  ...(settings.AUTH_AUDIENCE !== undefined && { audience: settings.AUTH_AUDIENCE }),
  userClaim: settings.AUTH_USER_CLAIM,
  requireExpiry: settings.AUTH_REQUIRE_EXP,
});

/** The source of permissions: a file of grants, or a policy decision point (PDP). */
export type GrantsSource = { readonly file: string } | { readonly authorizer: AuthorizerSettings };

/** A PDP, with the time limit of a request and the validity of an answer. */
export interface AuthorizerSettings {
  readonly url: string;
  readonly token?: string;
  readonly timeoutMs: number;
  readonly cacheMs: number;
}

export const grantsSource = (settings: ApiSettings): GrantsSource =>
  settings.AUTHORIZER_URL === undefined
    ? { file: settings.GRANTS_FILE ?? '' } // one of them is set
    : {
        authorizer: {
          url: settings.AUTHORIZER_URL,
          ...(settings.AUTHORIZER_TOKEN !== undefined && { token: settings.AUTHORIZER_TOKEN }),
          timeoutMs: Math.min(settings.AUTHORIZER_TIMEOUT_MS, settings.CALL_DEADLINE_MS),
          cacheMs: settings.AUTHORIZER_CACHE_MS,
        },
      };

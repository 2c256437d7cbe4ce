import * as E from 'fp-ts/Either';
import { textOf, type Environment, type Values } from './setting';
import type { apiOnlySettings } from './settings';

/** The source of permissions: a file of grants, or a policy decision point (PDP). */
export type GrantsSource = { readonly file: string } | { readonly authorizer: AuthorizerSettings };

/** A PDP, with the time limit of a request and the validity of an answer. */
export interface AuthorizerSettings {
  readonly url: string;
  readonly token?: string;
  readonly timeoutMs: number;
  readonly cacheMs: number;
}

/** The configured source. */
export type WhoGrants = { readonly file: string } | { readonly url: string };

export const whoGrants = (env: Environment): E.Either<ReadonlyArray<string>, WhoGrants> => {
  const url = textOf(env, 'AUTHORIZER_URL');
  const file = textOf(env, 'GRANTS_FILE');
  if (url !== undefined && file !== undefined) return E.left(['GRANTS_FILE and AUTHORIZER_URL exclude each other']);
  if (url !== undefined) return E.right({ url });
  return file !== undefined
    ? E.right({ file })
    : E.left(['GRANTS_FILE or AUTHORIZER_URL is required: the source of permissions']);
};

export const grantsSource = (who: WhoGrants, values: Values<typeof apiOnlySettings>): GrantsSource =>
  'file' in who
    ? who
    : {
        authorizer: {
          url: who.url,
          ...(values.AUTHORIZER_TOKEN !== undefined && { token: values.AUTHORIZER_TOKEN }),
          timeoutMs: Math.min(values.AUTHORIZER_TIMEOUT_MS, values.CALL_DEADLINE_MS),
          cacheMs: values.AUTHORIZER_CACHE_MS,
        },
      };

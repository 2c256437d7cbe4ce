import * as E from 'fp-ts/Either';
import type { Registry } from 'prom-client';
import type { Log } from '../../process/log';
import type { GrantsSource } from '../../process/settings';
import type { Authorizer } from '../ports';
import { createGrants } from './create-grants';
import type { NodeHierarchy } from './create-hierarchy';
import { createPdp } from './pdp/create-pdp';

/**
 * Decides by the grants of a file, or by a policy decision point (PDP).
 *
 * Errors: the file's, as in createGrants. A PDP may be unavailable at the start.
 */
export const createAuthorizer = (options: {
  readonly grants: GrantsSource;
  readonly hierarchy: Pick<NodeHierarchy, 'parentOf'>;
  readonly log: Log;
  readonly registry: Registry;
}): E.Either<string, Authorizer & { readonly close: () => void }> =>
  'file' in options.grants
    ? createGrants({ ...options, grantsFile: options.grants.file })
    : E.right(createPdp({ ...options, ...options.grants.authorizer }));

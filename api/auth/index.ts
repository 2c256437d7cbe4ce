export { createAuthenticator } from './create-authenticator';
export { exposeKeySetAge } from './key-set-metrics';
export { createAuthorizer } from './create-authorizer';
export { createHierarchy } from './create-hierarchy';
export { createFileKeySet } from './file-key-set';
export { createGrants } from './create-grants';

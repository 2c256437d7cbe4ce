export { createAuthenticator } from './create-authenticator';
export { createAuthorizer } from './create-authorizer';
export { createHierarchy } from './create-hierarchy';

export { createAuthenticator } from './create-authenticator';
export { createGrants } from './create-grants';
export { createHierarchy } from './create-hierarchy';

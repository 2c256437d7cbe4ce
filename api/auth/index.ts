export { createAuthenticator } from './create-authenticator';
export { createGrants } from './create-grants';
export { createHierarchy, type NodeHierarchy } from './create-hierarchy';

/** The accepted signature algorithms of tokens; all are asymmetric. */
export const signingAlgorithms: ReadonlyArray<string> = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

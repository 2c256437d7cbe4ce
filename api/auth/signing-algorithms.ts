/** The accepted signature algorithms of tokens, by the kind of key: RSA, or the curve. All are asymmetric. */
export const algorithmsByKind: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ['RSA', ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']],
  ['P-256', ['ES256']],
  ['P-384', ['ES384']],
  ['P-521', ['ES512']],
  ['Ed25519', ['EdDSA', 'Ed25519']],
]);

export const signingAlgorithms: ReadonlyArray<string> = [...algorithmsByKind.values()].flat();

import * as real from 'fast-json-patch';

/** Copies each value that is added: a move adds what it removed. */
export const applyOperation: typeof real.applyOperation = (document, operation, ...more) =>
  real.applyOperation(document, JSON.parse(JSON.stringify(operation)) as typeof operation, ...more);

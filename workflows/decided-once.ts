import type { Node } from './domain/node/node';

/**
 * `decide`, asked by the validator of an update and then by its handler: what the first was told is what the second commits,
 * as long as node and time are those that the decision was made on. A replay, which runs no validator, decides in the handler.
 */
export const decidedOnce = <Payload, A>(
  node: () => Node,
  decide: (node: Node, payload: Payload, now: number) => A,
): ((payload: Payload) => A) => {
  let validated:
    { readonly node: Node; readonly payload: Payload; readonly now: number; readonly decision: A } | undefined;
  return (payload) => {
    const asked = { node: node(), payload, now: Date.now() };
    const known = validated;
    validated = undefined;
    if (known?.node === asked.node && known.payload === payload && known.now === asked.now) return known.decision;
    const decision = decide(asked.node, payload, asked.now);
    validated = { ...asked, decision };
    return decision;
  };
};

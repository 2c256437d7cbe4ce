import type { Node } from './domain/node/node';

/** A decision of an update: its validator makes it, and its handler carries it out. */
export interface DecidedOnce<Payload, A> {
  readonly validate: (payload: Payload) => A;
  /** What the validator was told, as long as node and time are those of then. A replay, which runs no validator, decides here. */
  readonly decided: (payload: Payload) => A;
}

/** `decide`, made once for the validator of an update and its handler. */
export const decidedOnce = <Payload, A>(
  node: () => Node,
  decide: (node: Node, payload: Payload, now: number) => A,
): DecidedOnce<Payload, A> => {
  let validated:
    { readonly node: Node; readonly payload: Payload; readonly now: number; readonly decision: A } | undefined;
  return {
    validate: (payload) => {
      const asked = { node: node(), payload, now: Date.now() };
      const decision = decide(asked.node, payload, asked.now);
      validated = { ...asked, decision };
      return decision;
    },
    decided: (payload) => {
      const known = validated;
      validated = undefined; // its payload may be large
      const [of, now] = [node(), Date.now()];
      const isOfNow = known?.node === of && known.payload === payload && known.now === now;
      return isOfNow ? known.decision : decide(of, payload, now);
    },
  };
};

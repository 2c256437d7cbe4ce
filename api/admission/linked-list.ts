/** A place in a list. */
export interface Link<A> {
  readonly value: A;
  before?: Link<A> | undefined;
  after?: Link<A> | undefined;
}

export type LinkedList<A> = ReturnType<typeof createLinkedList<A>>;

/**
 * Values in the order in which they came; each step costs O(1). The first one of a Map or Set that is used as a queue costs as
 * much as values have left it: its iterator passes over the holes that they left.
 */
export const createLinkedList = <A>() => {
  let first: Link<A> | undefined;
  let last: Link<A> | undefined;
  let size = 0;
  return {
    first: () => first,
    last: () => last,
    size: () => size,
    add: (value: A): Link<A> => {
      const link: Link<A> = { value, before: last };
      if (last === undefined) first = link;
      else last.after = link;
      last = link;
      size += 1;
      return link;
    },
    /** Takes out a link of this list. */
    remove: ({ before, after }: Link<A>): void => {
      if (before === undefined) first = after;
      else before.after = after;
      if (after === undefined) last = before;
      else after.before = before;
      size -= 1;
    },
  };
};

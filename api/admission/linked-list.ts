export interface Link<A> {
  readonly value: A;
  before?: Link<A> | undefined;
  after?: Link<A> | undefined;
}

export type LinkedList<A> = ReturnType<typeof createLinkedList<A>>;

/**
 * Values in order of arrival; each operation costs O(1). A Map or Set cannot serve as this queue: to find the first value, its
 * iterator passes over the holes of all values that were removed.
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
    remove: ({ before, after }: Link<A>): void => {
      if (before === undefined) first = after;
      else before.after = after;
      if (after === undefined) last = before;
      else after.before = before;
      size -= 1;
    },
  };
};

export interface ListEntry<A> {
  readonly value: A;
  before?: ListEntry<A> | undefined;
  after?: ListEntry<A> | undefined;
}

export type LinkedList<A> = ReturnType<typeof createLinkedList<A>>;

/**
 * Values in order of arrival; each operation costs O(1). A Map or Set cannot serve as this queue: to find the first value, its
 * iterator passes over the holes of all values that were removed.
 */
export const createLinkedList = <A>() => {
  let first: ListEntry<A> | undefined;
  let last: ListEntry<A> | undefined;
  let size = 0;
  return {
    first: () => first,
    last: () => last,
    size: () => size,
    add: (value: A): ListEntry<A> => {
      const entry: ListEntry<A> = { value, before: last };
      if (last === undefined) first = entry;
      else last.after = entry;
      last = entry;
      size += 1;
      return entry;
    },
    remove: ({ before, after }: ListEntry<A>): void => {
      if (before === undefined) first = after;
      else before.after = after;
      if (after === undefined) last = before;
      else after.before = before;
      size -= 1;
    },
  };
};

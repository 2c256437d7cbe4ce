/**
 * Runs `work` on the items in order, `atOnce` of them concurrently. Once `mayContinue` returns false, it begins no further
 * item.
 */
export const inParallel = async <A>(
  items: Iterable<A>,
  atOnce: number,
  work: (item: A) => Promise<void>,
  mayContinue: () => boolean = () => true,
): Promise<void> => {
  const rest = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    while (mayContinue()) {
      const next = rest.next();
      if (next.done === true) return;
      await work(next.value);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
};

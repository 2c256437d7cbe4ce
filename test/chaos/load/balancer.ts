import { createCaller } from './call';

/** A balancer as production has it: it asks `/readyz` and sends to nobody who says no. */
export interface Balancer {
  readonly next: () => string;
  readonly close: () => void;
}

/** How often each address is asked. */
const EVERY_MS = 200;

export const createBalancer = (addresses: ReadonlyArray<string>): Balancer => {
  const caller = createCaller();
  const ready = new Set(addresses);
  let turn = 0;
  const ask = async (address: string): Promise<void> => {
    const { status } = await caller.call(address, { method: 'GET', path: '/readyz', headers: {} });
    if (status === 200) ready.add(address);
    else if (ready.size > 1) ready.delete(address);
  };
  const timer = setInterval(() => {
    for (const address of addresses) void ask(address);
  }, EVERY_MS);
  return {
    next: () => {
      const among = addresses.filter((address) => ready.has(address));
      const one = among[(turn += 1) % among.length];
      if (one === undefined) throw new Error('nobody is ready');
      return one;
    },
    close: () => {
      clearInterval(timer);
      caller.close();
    },
  };
};

import { closedLoad, openLoad, type Load } from './callers';

/** What callers in a process of their own are told: to send by schedule, or so many of them one call after the other. */
export type Order = { readonly load: Load; readonly callers?: number };

process.on('message', ({ load, callers }: Order) => {
  void (callers === undefined ? openLoad(load) : closedLoad(load, callers)).then((calls) => process.send?.(calls));
});

import { textOf, type Json } from './json-text';
import { mutated, type Draw } from './mutate';
import { processorTime } from './processor-time';

/** What an input costs: several figures, each of which the search tries to raise. */
export type Costs = Readonly<Record<string, number>>;

/** Something that takes inputs; `measure` gives nothing for an input that is beyond the limits. */
export interface Subject {
  readonly seeds: ReadonlyArray<Json>;
  readonly mostBytes: number;
  readonly measure: (text: string) => Costs | undefined | Promise<Costs>;
}

/** An input and what it cost. */
export interface Found {
  readonly json: Json;
  readonly text: string;
  readonly costs: Costs;
}

/** What is measured again was not dear by chance. */
const leastOf = (one: Costs, other: Costs): Costs =>
  Object.fromEntries(Object.entries(one).map(([figure, cost]) => [figure, Math.min(cost, other[figure] ?? cost)]));

/** Inputs that are kept for each figure and size, the dearest ones: what is dear for its size leads to what is dear at the limits. */
const KEPT = 3;
const sizeClass = (text: string): number => Math.floor(Math.log2(text.length + 1) / 2);
/** How many times as large as it was a change may make an input: small ones are tried a hundred times as fast. */
const GROWTH = 32;
/** Changes to an input before it is measured, at most. */
const CHANGES = 3;

/**
 * Looks for the dearest inputs of `subject` for `ms` of processor time: what costs more is kept, and changed again. `enough` ends it early.
 * It returns the dearest input by each figure, and all that are dear for their size.
 */
export const search = async (
  { seeds, mostBytes, measure }: Subject,
  draw: Draw,
  ms: number,
  enough: (costs: Costs) => boolean = () => false,
): Promise<{ readonly dearest: ReadonlyMap<string, Found>; readonly kept: ReadonlyArray<Found> }> => {
  const kept = new Map<string, Found[]>();
  const took = processorTime();
  const below = (count: number): number => Math.floor(draw() * count);
  const keep = (found: Found): void => {
    for (const [figure, cost] of Object.entries(found.costs)) {
      if (cost === 0) continue;
      const name = `${figure} ${sizeClass(found.text)}`;
      const best = [...(kept.get(name) ?? []), found];
      best.sort((one, other) => (other.costs[figure] ?? 0) - (one.costs[figure] ?? 0));
      kept.set(name, best.slice(0, KEPT));
    }
  };
  /** Whether `json` is enough. */
  const take = async (json: Json, most = mostBytes): Promise<boolean> => {
    const text = textOf(json, most);
    if (text === undefined || Buffer.byteLength(text) > mostBytes) return false;
    const once = await measure(text);
    const isDear = Object.entries(once ?? {}).some(([figure, cost]) => {
      const pool = kept.get(`${figure} ${sizeClass(text)}`) ?? [];
      return cost > (pool[KEPT - 1]?.costs[figure] ?? 0);
    });
    if (once === undefined || !isDear) return false;
    const costs = leastOf(once, (await measure(text)) ?? once);
    keep({ json, text, costs });
    return enough(costs);
  };
  /** The dearest input by each figure. */
  const dearest = (): ReadonlyMap<string, Found> => {
    const all = new Map<string, Found>();
    for (const [name, [best]] of kept) {
      const [figure = ''] = name.split(' ');
      if (best !== undefined && (best.costs[figure] ?? 0) > (all.get(figure)?.costs[figure] ?? 0))
        all.set(figure, best);
    }
    return all;
  };
  const oneOf = <A>(list: ReadonlyArray<A>): A | undefined => list[below(list.length)];
  /** The sizes that there are, each with its inputs by figure, and the time (ms) that was spent on changes to them. */
  const spent = new Map<string, number>();
  const leastSpent = (): string | undefined => {
    const sizes = new Set([...kept.keys()].map((name) => name.split(' ')[1] ?? ''));
    return [...sizes].sort((one, other) => (spent.get(one) ?? 0) - (spent.get(other) ?? 0))[0];
  };
  const oneOfSize = (size: string | undefined): Found | undefined =>
    oneOf(oneOf([...kept].filter(([name]) => name.endsWith(` ${size}`)).map(([, pool]) => pool)) ?? []);
  let isEnough = false;
  for (const seed of seeds) isEnough ||= await take(seed);
  while (!isEnough && took() < ms) {
    const began = took();
    const way = draw();
    const from = way < 0.3 ? oneOf([...dearest().values()]) : way < 0.8 ? oneOfSize(leastSpent()) : undefined;
    let json = from?.json ?? oneOf(seeds);
    if (json === undefined) break;
    for (let changes = 1 + below(CHANGES); changes > 0; changes -= 1) json = mutated(draw, json);
    isEnough = await take(json, Math.min(mostBytes, GROWTH * (from?.text.length ?? mostBytes)));
    if (from === undefined) continue;
    const size = String(sizeClass(from.text));
    spent.set(size, (spent.get(size) ?? 0) + took() - began);
  }
  return { dearest: dearest(), kept: [...kept.values()].flat() };
};

import { textOf, type Json } from './json-text';
import { mutated, type Draw } from './mutate';

/** What an input costs: several figures, each of which the search tries to raise. */
export type Costs = Readonly<Record<string, number>>;

/** Something that takes inputs; `measure` gives nothing for an input that is beyond the limits. */
export interface Subject {
  readonly seeds: ReadonlyArray<Json>;
  readonly mostBytes: number;
  readonly measure: (text: string) => Costs | undefined;
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

/** Inputs that are kept for each figure: the dearest ones. */
const KEPT = 6;
/** Changes to an input before it is measured, at most. */
const CHANGES = 4;

/**
 * Looks for the dearest inputs of `subject` for `ms`: what costs more is kept, and changed again. `enough` ends it early.
 * It returns the dearest input by each figure.
 */
export const search = (
  { seeds, mostBytes, measure }: Subject,
  draw: Draw,
  ms: number,
  enough: (costs: Costs) => boolean = () => false,
): Readonly<Record<string, Found>> => {
  const kept: Record<string, Found[]> = {};
  const until = performance.now() + ms;
  const take = (json: Json): boolean => {
    const text = textOf(json, mostBytes);
    if (text === undefined || Buffer.byteLength(text) > mostBytes) return false;
    const once = measure(text);
    if (once === undefined) return false;
    const isDearest = Object.entries(once).some(([figure, cost]) => cost > (kept[figure]?.[0]?.costs[figure] ?? 0));
    const costs = isDearest ? leastOf(once, measure(text) ?? once) : once;
    for (const [figure, cost] of Object.entries(costs)) {
      const best = (kept[figure] ??= []);
      best.push({ json, text, costs });
      best.sort((one, other) => (other.costs[figure] ?? 0) - (one.costs[figure] ?? 0));
      best.length = Math.min(best.length, KEPT);
      if (cost === 0) best.pop();
    }
    return enough(costs);
  };
  const isFound = seeds.some(take);
  const pools = Object.values(kept);
  while (!isFound && performance.now() < until) {
    const pool = pools[Math.floor(draw() * pools.length)] ?? [];
    const [from] = pool.slice(Math.floor(draw() * pool.length));
    let json = from?.json ?? seeds[Math.floor(draw() * seeds.length)];
    if (json === undefined) break;
    for (let changes = 1 + Math.floor(draw() * CHANGES); changes > 0; changes -= 1) json = mutated(draw, json);
    if (take(json)) break;
  }
  return Object.fromEntries(Object.entries(kept).flatMap(([figure, [best]]) => (best ? [[figure, best]] : [])));
};

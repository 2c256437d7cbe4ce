import { at, changed, childrenOf, type Json, type Place } from './json-text';

/** Draws a number from 0 up to 1; of a seed. */
export type Draw = () => number;

/** Mulberry32, a generator of public domain: the same seed finds the same again. */
export const drawsOf = (seed: number): Draw => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const below = (draw: Draw, count: number): number => Math.floor(draw() * count);
const oneOf = <A>(draw: Draw, all: ReadonlyArray<A>): A => {
  const one = all[below(draw, all.length)];
  if (one === undefined) throw new Error('there is nothing to choose from');
  return one;
};

/** Texts that grammars, look-ups, pointers and encodings stumble over. */
const snippets = [
  ...['1x ', '1', '1/2x ', '1-', '½', '1x:', 'line ', '12 TOOTH ', 'BPFO ', 'x', ' ', ','],
  ...['A-', 'C3-', '2RS ', 'J', '6205', '/0', '/a', '~1', '~0', '-', '.', '0', 'a'],
  ...['"', '\\', '\0', 'é', '名', '😀', '__proto__', 'constructor', 'overallThreshold', '2026-01-31T10:00:00Z'],
];
const LENGTHS = [1, 16, 64, 255, 1_024, 1_025, 4_096, 16_384, 65_536, 300_000];
const numbers = [
  ...['0', '-0', '1', '2', '3', '4', '0.1', '1e-300', '5e-324', '1e308', '1.7976931348623157e308', '1e999', '-1'],
  ...['50', '50.00000000001', '49.99999999999', '1500', '3000', '1e6', '9007199254740993', '12.3456789012345'],
  ...['1'.repeat(400), '0.12345678901234567', '1e-7'],
];
const others = ['null', 'true', '[]', '{}', '""'];

const text = (draw: Draw): string => {
  const snippet = oneOf(draw, snippets);
  const times = Math.ceil(oneOf(draw, LENGTHS) / snippet.length);
  return JSON.stringify(snippet.repeat(times) + (draw() < 0.5 ? String(below(draw, 1_000)) : ''));
};

const atom = (draw: Draw): Json => {
  const kind = draw();
  return { kind: 'atom', text: kind < 0.45 ? text(draw) : kind < 0.9 ? oneOf(draw, numbers) : oneOf(draw, others) };
};

/** A random place: each level goes on with a chance, so that few and many levels are about as likely. */
const anyPlace = (draw: Draw, json: Json): Place => {
  const count = childrenOf(json).length;
  if (count === 0 || draw() < 0.15) return [];
  const index = below(draw, count);
  return [index, ...anyPlace(draw, at(json, [index]))];
};

const LONGEST = 1_000_000;
const repeated = (given: string, times: number): string =>
  given.repeat(Math.min(times, Math.ceil(LONGEST / Math.max(1, given.length)))).slice(0, LONGEST);

/** Most items or members that one change makes of an array or an object. */
const MOST = 50_000;
const TIMES = [2, 2, 10, 100, 1_000];

const grown = (draw: Draw, json: Json): Json => {
  const times = oneOf(draw, TIMES);
  switch (json.kind) {
    case 'atom':
      return /^"/u.test(json.text)
        ? { kind: 'atom', text: JSON.stringify(repeated(JSON.parse(json.text) as string, times)) }
        : atom(draw);
    case 'array': {
      const count = Math.min(MOST, Math.max(1, json.items.length) * times);
      const items = json.items.length === 0 ? [atom(draw)] : json.items;
      return { kind: 'array', items: Array.from({ length: count }, (_, index) => items[index % items.length] as Json) };
    }
    case 'object': {
      const count = Math.min(1_000, json.members.length * times);
      const [, member] = json.members.length === 0 ? ['', atom(draw)] : oneOf(draw, json.members);
      const name = draw() < 0.3 ? repeated(oneOf(draw, snippets), below(draw, 40)) : 'm';
      const more = Array.from({ length: count }, (_, index) => [`${name}${index}`, member] as const);
      return { kind: 'object', members: [...json.members, ...more].slice(0, 1_000) };
    }
  }
};

const wrapped = (draw: Draw, json: Json): Json => {
  let inside = json;
  for (let levels = 1 + below(draw, draw() < 0.5 ? 2 : 40); levels > 0; levels -= 1)
    inside = draw() < 0.5 ? { kind: 'array', items: [inside] } : { kind: 'object', members: [['n', inside]] };
  return inside;
};

/** A member is there twice, or gets another name. */
const renamed = (draw: Draw, json: Json): Json => {
  if (json.kind !== 'object' || json.members.length === 0) return json;
  const [name, member] = oneOf(draw, json.members);
  const other = draw() < 0.6 ? name : (JSON.parse(text(draw)) as string);
  return { kind: 'object', members: [...json.members, [other, member]] };
};

/** The same change to the same place of every item of an array: a hundred alarms of one kind. */
const throughout = (draw: Draw, json: Json): Json => {
  if (json.kind !== 'array' || json.items[0] === undefined) return grown(draw, json);
  const place = anyPlace(draw, json.items[0]);
  const one = draw() < 0.8 ? atom(draw) : grown(draw, at(json.items[0], place));
  const isNumbered = draw() < 0.3 && one.kind === 'atom' && Math.abs(Number(one.text)) < 1e15;
  return {
    kind: 'array',
    items: json.items.map((item, index) =>
      changed(item, place, () => (isNumbered ? { kind: 'atom', text: String(Number(one.text) + index) } : one)),
    ),
  };
};

/** `json` with one change. */
export const mutated = (draw: Draw, json: Json): Json => {
  const place = anyPlace(draw, json);
  const kind = draw();
  return changed(json, place, (found) => {
    if (kind < 0.3) return throughout(draw, found);
    if (kind < 0.55) return grown(draw, found);
    if (kind < 0.75) return found.kind === 'atom' ? atom(draw) : at(json, anyPlace(draw, json));
    if (kind < 0.85) return renamed(draw, found);
    if (kind < 0.92) return wrapped(draw, found);
    return at(json, anyPlace(draw, json));
  });
};

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
const LENGTHS = [1, 64, 255, 1_024, 1_024, 1_025, 16_384, 300_000];
const numbers = [
  ...['0', '-0', '1', '2', '3', '4', '0.1', '1e-300', '5e-324', '1e308', '1.7976931348623157e308', '1e999', '-1'],
  ...['50', '50.00000000001', '49.99999999999', '1500', '3000', '1e6', '9007199254740993', '12.3456789012345'],
  ...['1'.repeat(400), '0.12345678901234567', '1e-7'],
];
const others = ['null', 'true', '[]', '{}', '""'];

const text = (draw: Draw): string => {
  const [snippet, length] = [oneOf(draw, snippets), oneOf(draw, LENGTHS)];
  return JSON.stringify(snippet.repeat(Math.ceil(length / snippet.length)).slice(0, length));
};

/** Another atom, mostly of the same type as `like`: what is of another is refused before it costs anything. */
const atom = (draw: Draw, like: Json = { kind: 'atom', text: oneOf(draw, ['""', '0']) }): Json => {
  if (draw() < 0.05) return { kind: 'atom', text: oneOf(draw, others) };
  const isText = like.kind !== 'atom' || like.text.startsWith('"');
  return { kind: 'atom', text: isText === draw() < 0.95 ? text(draw) : oneOf(draw, numbers) };
};

/** A random place: each level goes on with a chance, so that few and many levels are about as likely. */
const anyPlace = (draw: Draw, json: Json): Place => {
  const count = childrenOf(json).length;
  if (count === 0 || draw() < 0.08) return [];
  const index = below(draw, count);
  return [index, ...anyPlace(draw, at(json, [index]))];
};

const LONGEST = 1_000_000;
const repeated = (given: string, times: number): string =>
  given.repeat(Math.min(times, Math.ceil(LONGEST / Math.max(1, given.length)))).slice(0, LONGEST);

const TIMES = [2, 2, 10, 100, 1_000];
/** Items that one change makes of an array at most, beside more of them. */
const COUNTS = [100, 1_000, 50_000];

const grown = (draw: Draw, json: Json): Json => {
  const times = oneOf(draw, TIMES);
  switch (json.kind) {
    case 'atom':
      return /^"/u.test(json.text)
        ? { kind: 'atom', text: JSON.stringify(repeated(JSON.parse(json.text) as string, times)) }
        : atom(draw, json);
    case 'array': {
      const most = oneOf(draw, COUNTS);
      const count = draw() < 0.3 ? most : Math.min(most, Math.max(1, json.items.length) * times);
      const items = json.items.length === 0 ? [atom(draw)] : json.items;
      const begin = draw() < 0.5 ? 0 : below(draw, items.length); // the first of those that come again
      const index = (place: number): number =>
        place < items.length ? place : begin + ((place - begin) % (items.length - begin));
      return { kind: 'array', items: Array.from({ length: count }, (_, place) => items[index(place)] as Json) };
    }
    case 'object': {
      if (draw() < 0.7) return grownInside(draw, json);
      const count = Math.min(oneOf(draw, COUNTS), json.members.length * times);
      const [, member] = json.members.length === 0 ? ['', atom(draw)] : oneOf(draw, json.members);
      const name = draw() < 0.3 ? repeated(oneOf(draw, snippets), below(draw, 40)) : 'm';
      const more = Array.from({ length: count }, (_, index) => [`${name}${index}`, member] as const);
      return { kind: 'object', members: [...json.members, ...more] };
    }
  }
};

/** An object with one of its members grown: more members are not known to most readers. */
const grownInside = (draw: Draw, json: Json): Json =>
  childrenOf(json).length === 0
    ? json
    : changed(json, [below(draw, childrenOf(json).length)], (member) => grown(draw, member));

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
  if (draw() < 0.5) return { kind: 'object', members: [...json.members, [name, member]] };
  const other = JSON.parse(text(draw)) as string;
  return { kind: 'object', members: json.members.map((one) => (one[0] === name ? [other, one[1]] : one)) };
};

/** The places of `json` that `isWanted`, of an array of many alike only those in its first item. */
const placesOf = (json: Json, isWanted: (json: Json) => boolean, place: Place = []): ReadonlyArray<Place> => [
  ...(isWanted(json) ? [place] : []),
  ...childrenOf(json).flatMap((child, index) =>
    json.kind === 'array' && json.items.length > ALIKE && index > 0 ? [] : placesOf(child, isWanted, [...place, index]),
  ),
];
const ALIKE = 8;

/** Whether one is a list inside of `json`. */
const isList =
  (json: Json) =>
  (one: Json): boolean =>
    one !== json && one.kind === 'array' && one.items.length > 0;

/** The same change to the same place of every item of one of the arrays: a hundred alarms of one kind. */
const throughout = (draw: Draw, json: Json): Json => {
  const arrays = placesOf(json, isList(json));
  if (arrays.length === 0) return json;
  return changed(json, oneOf(draw, arrays), (array) => {
    const [first] = childrenOf(array);
    if (array.kind !== 'array' || first === undefined) return array;
    const atoms = placesOf(first, (one) => one.kind === 'atom');
    if (atoms.length === 0) return grown(draw, array);
    const place = oneOf(draw, atoms);
    const before = at(first, place);
    const one = draw() < 0.7 ? atom(draw, before) : grown(draw, before);
    const isNumbered = draw() < 0.3 && one.kind === 'atom' && Math.abs(Number(one.text)) < 1e15;
    return {
      kind: 'array',
      items: array.items.map((item, index) =>
        changed(item, place, () => (isNumbered ? { kind: 'atom', text: String(Number(one.text) + index) } : one)),
      ),
    };
  });
};

/** One of the lists gets more items. */
const longer = (draw: Draw, json: Json): Json => {
  const lists = placesOf(json, isList(json));
  return lists.length === 0 ? json : changed(json, oneOf(draw, lists), (list) => grown(draw, list));
};

const isNumber = (one: Json): boolean => one.kind === 'atom' && /^[-\d]/u.test(one.text);

/** A number is nearly another one, mostly one that stands for the same: of the same member, in another object. */
const nearlyEqual = (draw: Draw, json: Json): Json => {
  const numbered = placesOf(json, isNumber);
  if (numbered.length === 0) return json;
  const place = oneOf(draw, numbered);
  const alike = numbered.filter((one) => one !== place && one.length === place.length && one.at(-1) === place.at(-1));
  const other = at(json, oneOf(draw, alike.length > 0 && draw() < 0.8 ? alike : numbered));
  const value = other.kind === 'atom' ? Number(other.text) * (1 + 10 ** -(5 + below(draw, 10))) : 0;
  return changed(json, place, () => ({ kind: 'atom', text: JSON.stringify(value) }));
};

/** `json` with one change. */
export const mutated = (draw: Draw, json: Json): Json => {
  const change = draw();
  if (change < 0.35) return throughout(draw, json);
  if (change < 0.5) return longer(draw, json);
  if (change < 0.6) return nearlyEqual(draw, json);
  const place = anyPlace(draw, json);
  const kind = draw();
  return changed(json, place, (found) => {
    if (kind < 0.4) return grown(draw, found);
    if (kind < 0.8) return found.kind === 'atom' ? atom(draw, found) : grown(draw, found);
    if (kind < 0.92) return renamed(draw, found);
    if (kind < 0.96) return wrapped(draw, found);
    return at(json, anyPlace(draw, json));
  });
};

/** A JSON text that may name a member twice, or hold numbers that no value can: what hostile callers write. */
export type Json =
  | { readonly kind: 'atom'; readonly text: string }
  | { readonly kind: 'array'; readonly items: ReadonlyArray<Json> }
  | { readonly kind: 'object'; readonly members: ReadonlyArray<Member> };
type Member = readonly [name: string, value: Json];

export const jsonOf = (value: unknown): Json => {
  if (Array.isArray(value)) return { kind: 'array', items: value.map(jsonOf) };
  if (typeof value === 'object' && value !== null)
    return { kind: 'object', members: Object.entries(value).map(([name, member]) => [name, jsonOf(member)]) };
  return { kind: 'atom', text: JSON.stringify(value) };
};

/** The text of `json`; nothing where it has more than `most` characters, which a few changes can make a million times as many. */
export const textOf = (json: Json, most = Infinity): string | undefined => {
  const parts: string[] = [];
  return write(json, parts, most) < 0 ? undefined : parts.join('');
};

/** Adds the text of `json` to `parts`, and returns how many characters are left of `room`; less than 0 where it has none. */
const write = (json: Json, parts: string[], room: number): number => {
  const put = (text: string, left: number): number => {
    parts.push(text);
    return left - text.length;
  };
  if (json.kind === 'atom') return put(json.text, room);
  const [open, close] = json.kind === 'array' ? ['[', ']'] : ['{', '}'];
  let left = put(open, room);
  for (const [index, child] of childrenOf(json).entries()) {
    if (left < 0) return left;
    if (index > 0) left = put(',', left);
    if (json.kind === 'object') left = put(`${JSON.stringify(json.members[index]?.[0])}:`, left);
    left = write(child, parts, left);
  }
  return put(close, left);
};

/** `text` again and again, up to so many characters. */
export const long = (text: string, length = 1_024): string =>
  text.repeat(Math.ceil(length / text.length)).slice(0, length);
export const many = <A>(count: number, item: (index: number) => A): A[] =>
  Array.from({ length: count }, (_, index) => item(index));

/** A place in a text: the index of an item or a member at each level. */
export type Place = ReadonlyArray<number>;

export const childrenOf = (json: Json): ReadonlyArray<Json> => {
  if (json.kind === 'array') return json.items;
  return json.kind === 'object' ? json.members.map(([, member]) => member) : [];
};

export const at = (json: Json, place: Place): Json =>
  place.reduce<Json>((parent, index) => childrenOf(parent)[index] ?? parent, json);

/** `json` with what `change` makes of the value at `place`. */
export const changed = (json: Json, place: Place, change: (json: Json) => Json): Json => {
  const [index, ...rest] = place;
  const child = index === undefined ? undefined : childrenOf(json)[index];
  if (index === undefined || child === undefined) return change(json);
  const after = changed(child, rest, change);
  if (json.kind === 'array') return { ...json, items: json.items.with(index, after) };
  return json.kind === 'object'
    ? { ...json, members: json.members.with(index, [json.members[index]?.[0] ?? '', after]) }
    : json;
};

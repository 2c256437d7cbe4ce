import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { decode, type Codec } from '../../workflows/domain/codecs';

/** One setting: an environment variable. */
export interface Setting<A> {
  /** The value of a text, or why the text is invalid. */
  readonly read: (text: string) => E.Either<string, A>;
  readonly meaning: string;
  /** The unit of the value: `ms`, `bytes`. */
  readonly unit?: string;
  /** The default, as text. */
  readonly preset?: string;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;

/** The values of a table of settings, by their names. */
export type Values<T extends Settings> = { readonly [K in keyof T]: T[K] extends Setting<infer A> ? A : never };

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting with a default. */
export const preset = <A>(text: string, codec: Codec<A>, meaning: string, unit?: string): Setting<A> => ({
  ...optional(codec, meaning, unit),
  read: reader(codec),
  preset: text,
});

/** A setting without a default. */
export const optional = <A>(codec: Codec<A>, meaning: string, unit?: string): Setting<A | undefined> => ({
  read: reader(codec),
  meaning,
  ...(unit !== undefined && { unit }),
});

/** A rule across the settings `of`; it is asked only where each of them is right. */
export interface Rule<T extends Settings> {
  readonly of: ReadonlyArray<keyof T & string>;
  readonly holds: (values: Values<T>) => boolean;
  readonly fault: string;
}

/** The values of `table` in `env`, or every fault found: of each variable, by its name, and of each rule. */
export const readSettings = <T extends Settings>(
  table: T,
  env: Environment,
  rules: ReadonlyArray<Rule<T>> = [],
): E.Either<ReadonlyArray<string>, Values<T>> => {
  const faults = new Map<string, string>();
  const values: Record<string, unknown> = {};
  for (const [name, { read, preset }] of Object.entries(table)) {
    const text = textOf(env, name) ?? preset;
    if (text === undefined) continue;
    const value = read(text);
    if (E.isLeft(value)) faults.set(name, `${name} ${value.left}`);
    else values[name] = value.right;
  }
  const broken = rules.filter(({ of, holds }) => !of.some((name) => faults.has(name)) && !holds(values as Values<T>));
  const all = [...faults.values(), ...broken.map(({ fault }) => fault)];
  return all.length > 0 ? E.left(all) : E.right(values as Values<T>);
};

/** The value of `name`; an empty text counts as not set. */
export const textOf = (env: Environment, name: string): string | undefined => {
  const text = env[name];
  return text === '' ? undefined : text;
};

const reader =
  <A>(codec: Codec<A>) =>
  (text: string): E.Either<string, A> =>
    pipe(
      decode(codec, text),
      E.mapLeft((reasons) => reasons.map(({ reason }) => reason).join(', ')),
    );

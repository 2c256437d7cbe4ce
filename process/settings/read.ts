import * as E from 'fp-ts/Either';
import { table, type Process, type Setting, type Values } from './table';

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A value, or every fault found. */
export type Validated<A> = E.Either<ReadonlyArray<string>, A>;

/** The value of `name`; an empty text counts as not set. */
export const textOf = (env: Environment, name: string): string | undefined => {
  const text = env[name];
  return text === '' ? undefined : text;
};

type Name = keyof typeof table;

/** The settings that a process reads. */
export const namesOf = (process: Process): ReadonlyArray<string> => own(process).map(([name]) => name);

const own = (process: Process): ReadonlyArray<readonly [string, Setting]> =>
  Object.entries<Setting>(table).filter(([, { processes }]) => processes.includes(process));

/** What a process is given. */
interface Given {
  readonly isSet: (name: Name) => boolean;
  /** Nothing where the value is wrong. */
  readonly number: (name: Name) => number | undefined;
  readonly text: (name: Name) => string | undefined;
}

/** A rule across settings: for processes that read all its names. */
type Rule = readonly [names: ReadonlyArray<Name>, holds: (given: Given) => boolean, fault: string];

const atMost = (lesser: Name, greater: Name): Rule => [
  [lesser, greater],
  ({ number }) => !((number(lesser) ?? NaN) > (number(greater) ?? NaN)),
  `${lesser} must be at most ${greater}`,
];
const lessThan = (lesser: Name, greater: Name): Rule => [
  [lesser, greater],
  ({ number }) => !((number(lesser) ?? NaN) >= (number(greater) ?? NaN)),
  `${lesser} must be less than ${greater}`,
];
const pair = (one: Name, other: Name): Rule => [
  [one, other],
  ({ isSet }) => isSet(one) === isSet(other),
  `${one} and ${other} need each other`,
];
const notBoth = (one: Name, other: Name): Rule => [
  [one, other],
  ({ isSet }) => !(isSet(one) && isSet(other)),
  `${one} and ${other} exclude each other`,
];
const oneOf = (one: Name, other: Name, what: string): Rule => [
  [one, other],
  ({ isSet }) => isSet(one) || isSet(other),
  `${one} or ${other} is required: ${what}`,
];

const rules: ReadonlyArray<Rule> = [
  atMost('HEADERS_TIMEOUT_MS', 'REQUEST_TIMEOUT_MS'),
  lessThan('CALL_DEADLINE_MS', 'SOCKET_TIMEOUT_MS'),
  lessThan('DRAIN_MS', 'SHUTDOWN_DEADLINE_MS'),
  atMost('MAX_CONCURRENT_WORKFLOW_TASKS', 'MAX_CACHED_WORKFLOWS'),
  pair('WORKER_DEPLOYMENT', 'WORKER_BUILD_ID'),
  notBoth('AUTH_JWKS_URL', 'AUTH_JWKS_FILE'),
  oneOf('AUTH_JWKS_URL', 'AUTH_JWKS_FILE', 'the keys that sign the tokens'),
  notBoth('GRANTS_FILE', 'AUTHORIZER_URL'),
  oneOf('GRANTS_FILE', 'AUTHORIZER_URL', 'the source of permissions'),
  pair('REDIS_SENTINELS', 'REDIS_SENTINEL_MASTER'),
  [
    ['REDIS_SENTINEL_PASSWORD', 'REDIS_SENTINELS'],
    ({ isSet }) => !isSet('REDIS_SENTINEL_PASSWORD') || isSet('REDIS_SENTINELS'),
    'REDIS_SENTINEL_PASSWORD needs REDIS_SENTINELS',
  ],
  notBoth('REDIS_SENTINELS', 'REDIS_CLUSTER_NODES'),
  [
    ['REDIS_CLUSTER_NODES', 'EVENT_STREAM'],
    ({ isSet, text }) => !isSet('REDIS_CLUSTER_NODES') || /\{[^}]+\}/u.test(text('EVENT_STREAM') ?? ''),
    'REDIS_CLUSTER_NODES needs a hash tag in EVENT_STREAM: {point-alarm-events}',
  ],
  pair('REDIS_TLS_CLIENT_CERT_PATH', 'REDIS_TLS_CLIENT_KEY_PATH'),
];

/** The values of the settings that `process` reads, or every fault: of each variable, by its name, and of each rule. */
export const readValues = <P extends Process>(process: P, env: Environment): Validated<Values<P>> => {
  const faults: string[] = [];
  const values = new Map<string, unknown>();
  for (const [name, { read, preset }] of own(process)) {
    const text = textOf(env, name) ?? preset;
    if (text === undefined) continue;
    const value = read(text);
    if (E.isRight(value)) values.set(name, value.right);
    else faults.push(`${name} ${value.left}`);
  }
  const names = namesOf(process);
  const given: Given = {
    isSet: (name) => textOf(env, name) !== undefined,
    number: (name) => (values.has(name) ? Number(values.get(name)) : undefined),
    text: (name) => (values.has(name) ? String(values.get(name)) : undefined),
  };
  for (const [of, holds, fault] of rules)
    if (of.every((name) => names.includes(name)) && !holds(given)) faults.push(fault);
  return faults.length > 0 ? E.left(faults) : E.right(Object.fromEntries(values) as Values<P>);
};

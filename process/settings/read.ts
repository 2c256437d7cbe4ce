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

/** What a process is given. A number that is absent or wrong is NaN. */
interface Given {
  readonly isSet: (name: Name) => boolean;
  readonly number: (name: Name) => number;
  readonly text: (name: Name) => string;
}

/** How two settings must stand to each other, for processes that read both; the fault where they do not. */
type Relation = (given: Given, one: Name, other: Name) => string | false;

const atMost: Relation = ({ number }, lesser, greater) =>
  number(lesser) > number(greater) && `${lesser} must be at most ${greater}`;
const lessThan: Relation = ({ number }, lesser, greater) =>
  number(lesser) >= number(greater) && `${lesser} must be less than ${greater}`;
const needs: Relation = ({ isSet }, one, other) => isSet(one) && !isSet(other) && `${one} needs ${other}`;
const pairedWith: Relation = ({ isSet }, one, other) =>
  isSet(one) !== isSet(other) && `${one} and ${other} need each other`;
const excludes: Relation = ({ isSet }, one, other) =>
  isSet(one) && isSet(other) && `${one} and ${other} exclude each other`;
const orElse =
  (what: string): Relation =>
  ({ isSet }, one, other) =>
    !isSet(one) && !isSet(other) && `${one} or ${other} is required: ${what}`;
const needsHashTagIn: Relation = ({ isSet, text }, nodes, stream) =>
  isSet(nodes) && !/\{[^}]+\}/u.test(text(stream)) && `${nodes} needs a hash tag in ${stream}: {point-alarm-events}`;

const rules: ReadonlyArray<readonly [one: Name, relation: Relation, other: Name]> = [
  ['HEADERS_TIMEOUT_MS', atMost, 'REQUEST_TIMEOUT_MS'],
  ['CALL_DEADLINE_MS', lessThan, 'SOCKET_TIMEOUT_MS'],
  ['DRAIN_MS', lessThan, 'SHUTDOWN_DEADLINE_MS'],
  ['MAX_CONCURRENT_WORKFLOW_TASKS', atMost, 'MAX_CACHED_WORKFLOWS'],
  ['WORKER_DEPLOYMENT', pairedWith, 'WORKER_BUILD_ID'],
  ['AUTH_JWKS_URL', excludes, 'AUTH_JWKS_FILE'],
  ['AUTH_JWKS_URL', orElse('the keys that sign the tokens'), 'AUTH_JWKS_FILE'],
  ['GRANTS_FILE', excludes, 'AUTHORIZER_URL'],
  ['GRANTS_FILE', orElse('the source of permissions'), 'AUTHORIZER_URL'],
  ['REDIS_SENTINELS', pairedWith, 'REDIS_SENTINEL_MASTER'],
  ['REDIS_SENTINEL_PASSWORD', needs, 'REDIS_SENTINELS'],
  ['REDIS_SENTINELS', excludes, 'REDIS_CLUSTER_NODES'],
  ['REDIS_CLUSTER_NODES', needsHashTagIn, 'EVENT_STREAM'],
  ['REDIS_TLS_CLIENT_CERT_PATH', pairedWith, 'REDIS_TLS_CLIENT_KEY_PATH'],
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
  const given: Given = {
    isSet: (name) => textOf(env, name) !== undefined,
    number: (name) => Number(values.get(name)),
    text: (name) => String(values.get(name)),
  };
  const names = namesOf(process);
  for (const [one, relation, other] of rules) {
    const fault = names.includes(one) && names.includes(other) && relation(given, one, other);
    if (fault !== false) faults.push(fault);
  }
  return faults.length > 0 ? E.left(faults) : E.right(Object.fromEntries(values) as Values<P>);
};

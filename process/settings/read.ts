import * as E from 'fp-ts/Either';
import { decode } from '../../workflows/domain/codecs';
import { table, type Process, type Setting, type Values } from './table';

export type Environment = Readonly<Record<string, string | undefined>>;

export type Validated<A> = E.Either<ReadonlyArray<string>, A>;

/** The value of `name`; an empty text counts as not set. */
export const textOf = (env: Environment, name: string): string | undefined => {
  const text = env[name];
  return text === '' ? undefined : text;
};

export const namesOf = (process: Process): ReadonlyArray<string> => own(process).map(([name]) => name);

const own = (process: Process): ReadonlyArray<readonly [string, Setting]> =>
  Object.entries<Setting>(table).filter(([, { processes }]) => processes.includes(process));

/** A setting as a process gets it. `isSet` is false for a default. `value` is undefined if the setting is absent or invalid. */
interface Given {
  readonly name: string;
  readonly isSet: boolean;
  readonly value: unknown;
}

/** A rule about two settings, for processes that read both. It returns the fault, or false if there is none. */
type Relation = (one: Given, other: Given) => string | false;

const atMost: Relation = (lesser, greater) =>
  Number(lesser.value) > Number(greater.value) && `${lesser.name} must be at most ${greater.name}`;
const lessThan: Relation = (lesser, greater) =>
  Number(lesser.value) >= Number(greater.value) && `${lesser.name} must be less than ${greater.name}`;
/** One user gets at most half of the memory, and a body that comes in pieces of 1 KiB takes a quarter more than its length. */
const holds: Relation = (memory, body) =>
  Number(memory.value) < 2.5 * Number(body.value) &&
  `${memory.name} must be at least 2.5 times ${body.name}, ${Math.ceil(2.5 * Number(body.value))}: half of it is for one user, and pieces of a body take a quarter more`;
const needs: Relation = (one, other) => one.isSet && !other.isSet && `${one.name} needs ${other.name}`;
const pairedWith: Relation = (one, other) =>
  one.isSet !== other.isSet && `${one.name} and ${other.name} need each other`;
const excludes: Relation = (one, other) =>
  one.isSet && other.isSet && `${one.name} and ${other.name} exclude each other`;
const exactlyOneFor =
  (what: string): Relation =>
  (one, other) =>
    one.isSet || other.isSet ? excludes(one, other) : `${one.name} or ${other.name} is required: ${what}`;
const needsTlsIn: Relation = (file, url) =>
  file.isSet && /^redis:/iu.test(String(url.value)) && `${file.name} needs a ${url.name} that begins with rediss://`;
const needsHashTagIn: Relation = (nodes, stream) =>
  nodes.isSet &&
  !/\{[^}]+\}/u.test(String(stream.value)) &&
  `${nodes.name} needs a hash tag in ${stream.name}: {point-alarm-events}`;

type Name = keyof typeof table;

const rules: ReadonlyArray<readonly [one: Name, relation: Relation, other: Name]> = [
  ['HEADERS_TIMEOUT_MS', atMost, 'REQUEST_TIMEOUT_MS'],
  ['CALL_DEADLINE_MS', lessThan, 'SOCKET_TIMEOUT_MS'],
  ['DRAIN_MS', lessThan, 'SHUTDOWN_DEADLINE_MS'],
  ['CALL_MEMORY_BYTES', holds, 'MAX_BODY_BYTES'],
  ['MAX_CONCURRENT_WORKFLOW_TASKS', atMost, 'MAX_CACHED_WORKFLOWS'],
  ['WORKER_DEPLOYMENT', pairedWith, 'WORKER_BUILD_ID'],
  ['AUTH_JWKS_URL', exactlyOneFor('the keys that sign the tokens'), 'AUTH_JWKS_FILE'],
  ['GRANTS_FILE', exactlyOneFor('the source of permissions'), 'AUTHORIZER_URL'],
  ['REDIS_SENTINELS', pairedWith, 'REDIS_SENTINEL_MASTER'],
  ['REDIS_SENTINEL_PASSWORD', needs, 'REDIS_SENTINELS'],
  ['REDIS_SENTINELS', excludes, 'REDIS_CLUSTER_NODES'],
  ['REDIS_CLUSTER_NODES', needsHashTagIn, 'EVENT_STREAM'],
  ['REDIS_TLS_CLIENT_CERT_PATH', pairedWith, 'REDIS_TLS_CLIENT_KEY_PATH'],
  ['REDIS_TLS_SERVER_CA_CERT_PATH', needsTlsIn, 'REDIS_URL'],
  ['REDIS_TLS_CLIENT_CERT_PATH', needsTlsIn, 'REDIS_URL'],
  ['REDIS_TLS_CLIENT_KEY_PATH', needsTlsIn, 'REDIS_URL'],
];

/** The values of the settings that `process` reads, or all faults: of single settings, and of the rules about two settings. */
export const readValues = <P extends Process>(process: P, env: Environment): Validated<Values<P>> => {
  const faults: string[] = [];
  const values = new Map<string, unknown>();
  for (const [name, { codec, preset }] of own(process)) {
    const text = textOf(env, name) ?? preset;
    if (text === undefined) continue;
    const value = decode(codec, text);
    if (E.isRight(value)) values.set(name, value.right);
    else faults.push(`${name} ${value.left.map(({ reason }) => reason).join(', ')}`);
  }
  const given = (name: Name): Given => ({ name, isSet: textOf(env, name) !== undefined, value: values.get(name) });
  const names = namesOf(process);
  for (const [one, relation, other] of rules) {
    const fault = names.includes(one) && names.includes(other) && relation(given(one), given(other));
    if (fault !== false) faults.push(fault);
  }
  return faults.length > 0 ? E.left(faults) : E.right(Object.fromEntries(values) as Values<P>);
};

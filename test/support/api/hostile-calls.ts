import { fc } from '@fast-check/vitest';
import type { Route } from '../../../api/contract/route';
import { anyJson } from '../arbitraries/from-schema';
import { mutated, validBodies } from './bodies';
import { MACHINE, OTHER_POINT, POINT } from './callers';

/** A call as it goes out; `bytes` is its body. */
export interface HostileCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Buffer | undefined;
  readonly isChunked: boolean;
}

const mostly = <A>(right: A, ...wrong: ReadonlyArray<A>) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: fc.constantFrom(right, ...wrong) });

const nodeIds = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(POINT, OTHER_POINT) },
  { weight: 1, arbitrary: fc.constantFrom(MACHINE, '%', '%00', '..', '%2e%2e%2f', '__proto__') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme' }).map(encodeURIComponent) },
);

const headerText = fc.string({
  maxLength: 140,
  unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
});
const visible = headerText.map((text) => text.replaceAll(/[\x7f-\x9f]/gu, '').trim());

const headersOf = (route: Route, token: string) =>
  fc.record(
    {
      Authorization: mostly(`Bearer ${token}`, token, 'Bearer', 'Basic eDp5', `Bearer ${token}x`, ''),
      'Content-Type': mostly(route.body?.mediaType ?? 'application/json', 'text/plain', 'application/json', ';', ''),
      'Content-Encoding': mostly('identity', 'gzip', 'x'),
      'Idempotency-Key': visible,
      'If-Match': fc.oneof(visible, fc.constantFrom('*', '"0"', '"1","2"', 'W/"0"')),
      'X-Request-Id': visible,
      Expect: mostly('100-continue'),
    },
    { requiredKeys: ['Authorization', 'Content-Type'] },
  );

/** What the route takes, or would take but for one change or two. */
const hostileBodies = (route: Route): fc.Arbitrary<unknown> => {
  const valid = route.body === undefined ? anyJson : validBodies(route);
  const changed = valid.chain(mutated);
  return fc.oneof({ weight: 2, arbitrary: valid }, { weight: 3, arbitrary: changed }, changed.chain(mutated));
};

/** JSON text of `value`, or something near it. */
const hostileText = (value: unknown): fc.Arbitrary<Buffer> => {
  const text = JSON.stringify(value);
  return fc.oneof(
    { weight: 10, arbitrary: fc.constant(Buffer.from(text)) },
    { weight: 1, arbitrary: fc.constant(Buffer.from(text.replace(/\d+/u, '1e999'))) },
    { weight: 1, arbitrary: fc.constant(Buffer.from(text.replace(/\{"/u, '{"nodeId":1,"nodeId":2,"'))) },
    { weight: 1, arbitrary: fc.nat(text.length).map((length) => Buffer.from(text.slice(0, length))) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(1, 70, 5_000).map((levels) => Buffer.from('['.repeat(levels) + ']'.repeat(levels))),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.constant(Buffer.from(`\uFEFF${text}`, 'utf16le')) },
  );
};

/** Calls of `route` in which anything may be wrong: the node, the head, the body's bytes. */
export const hostileCalls = (route: Route, token: string): fc.Arbitrary<HostileCall> =>
  fc.record({
    path: nodeIds.map((id) => route.path.replace(':nodeId', id)),
    headers: headersOf(route, token),
    bytes: fc.option(hostileBodies(route).chain(hostileText), { freq: 9, nil: undefined }),
    isChunked: fc.boolean(),
  });

import * as E from 'fp-ts/Either';
import { expect } from 'vitest';
import type { Route } from '../../../api/contract/route';
import type { Reply } from './call';

/** Expects the route to document this answer: its status, its headers, its media type, and a body that decodes; of a problem its type. */
export const expectDocumented = (route: Route, reply: Reply): void => {
  const documented = route.answers[reply.status];
  expect(documented, `${route.id} answers ${reply.status}, which is not documented: ${reply.text}`).toBeDefined();
  if (documented === undefined) return;
  const headers = (documented.headers ?? []).filter((name) => name !== 'Age'); // only of an answer of the read cache
  for (const name of headers) expect(reply.headers).toHaveProperty(name.toLowerCase());
  expect(reply.headers['x-request-id']).toMatch(/^[\w.-]{1,64}$/u);
  expect(reply.headers['content-type']).toBe(documented.mediaType);
  if (documented.codec === undefined) expect(reply.text).toBe('');
  else expect(documented.codec.decode(reply.json), reply.text).toSatisfy(E.isRight);
  if (reply.status >= 400) {
    expect(documented.problems?.map((type) => `/problems/${type}`)).toContain((reply.json as { type: string }).type);
  }
};

export const routeOf = (routes: ReadonlyArray<Route>, id: string): Route => {
  const found = routes.find((route) => route.id === id);
  if (found === undefined) throw new Error(`there is no route ${id}`);
  return found;
};

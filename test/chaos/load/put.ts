import type { JsonObject } from '../history';
import type { Setting } from '../scenario';
import type { Called } from './call';

/** PUTs `content` by the first API, as a user of no history; `content` undefined: no body. */
export const put = async (
  { stack, caller }: Setting,
  path: string,
  content?: JsonObject,
  key?: string,
): Promise<Called> => {
  const headers = {
    Authorization: `Bearer ${await stack.signToken('one user')}`,
    ...(content !== undefined && { 'Content-Type': 'application/json' }),
    ...(key !== undefined && { 'Idempotency-Key': key }),
  };
  const body = content === undefined ? {} : { body: JSON.stringify(content) };
  return caller.call(stack.apis[0].url, { method: 'PUT', path, headers, ...body });
};

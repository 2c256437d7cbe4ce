import { setTimeout as sleep } from 'node:timers/promises';
import type { Final, JsonObject } from './history';
import type { Called } from './load/call';
import type { Setting } from './scenario';
import type { Running } from '../../stack/running';
import type { ServiceStack } from './stack/service-stack';

/** A read that is refused for more calls than can be served is repeated after its Retry-After, as its caller would, for so long (ms). */
const PATIENCE_MS = 15_000;
const REFUSED: ReadonlySet<number> = new Set([429, 503]);

/** What each node's GETs answer now, by the first API that lives. Errors: a GET that does not answer 200. */
export const finalsOf = async ({ stack, caller, nodes }: Setting<ServiceStack>): Promise<ReadonlyArray<Final>> => {
  const headers = { Authorization: `Bearer ${await stack.signToken('reader')}` };
  const get = async (path: string, until = performance.now() + PATIENCE_MS): Promise<JsonObject> => {
    const ask = (of: Running): Promise<Called> => caller.call(of.url, { method: 'GET', path, headers });
    const [one, other] = stack.apis;
    const first = await ask(one);
    const { status, headers: answered, body, fault } = first.status === 0 ? await ask(other) : first;
    if (REFUSED.has(status) && performance.now() < until) {
      await sleep(1_000 * Number(answered['retry-after'] ?? 1));
      return get(path, until);
    }
    if (status !== 200) throw new Error(`GET ${path} answers ${status} ${fault ?? body}`);
    return JSON.parse(body) as JsonObject;
  };
  return Promise.all(
    nodes.map(async (nodeId) => ({
      nodeId,
      alarmStatus: await get(`/v1/alarm-status/${nodeId}`),
      threshold: await get(`/v1/point-alarm-threshold/${nodeId}`),
    })),
  );
};

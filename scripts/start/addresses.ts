import { withoutPassword } from '../stack/bring-up-redis';
import { setting } from '../stack/environment';
import type { Servers } from '../stack/servers';
import type { PartEnvironment } from './part-environment';

const EXAMPLE_NODE = '7d0f3a52-9c1e-4b8a-8f26-3e5b1c9d4a70';
const EXAMPLE_THRESHOLD = '{"thresholdType":2,"overall":{"unit":"mm/s","outerHigh":7.1,"innerHigh":4.5}}';

/** What the user wants to know once everything is ready, line by line; the `curl` can be pasted as it is. */
export const addressLines = (
  base: string,
  { temporal, redis }: Servers,
  { env, takesDevelopmentTokens }: PartEnvironment,
  logs: string,
): ReadonlyArray<string> => [
  '',
  `API          ${base}`,
  `Docs         ${base}/docs`,
  `Temporal     ${temporal.address}, namespace ${temporal.namespace}`,
  ...(temporal.ui === undefined ? [] : [`Temporal UI  ${temporal.ui}`]),
  `Redis        ${withoutPassword(redis.url)}`,
  `Stream       ${setting(env, 'EVENT_STREAM') ?? 'point-alarm-events'}`,
  `Logs         ${logs}`,
  '',
  takesDevelopmentTokens ? 'Try it, here in this folder:' : 'Try it, with a token of yours:',
  curlLine(base, takesDevelopmentTokens),
  '',
  'Ctrl-C stops all of it; what is stored stays.',
];

const curlLine = (base: string, takesDevelopmentTokens: boolean): string =>
  [
    `curl -i -X PUT ${base}/v1/point-alarm-threshold/${EXAMPLE_NODE}`,
    `-H "Authorization: Bearer ${takesDevelopmentTokens ? '$(npm run -s token)' : '$TOKEN'}"`,
    `-H 'Content-Type: application/json' -d '${EXAMPLE_THRESHOLD}'`,
  ].join(' ');

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { projectRoot } from '../../../stack/project-root';
import type { RedisClient } from '../../../stream/link';

/** The lines of Redis' ACL file that SECURITY.md shows. */
const [, lines = ''] =
  /<!-- run: test\/integration\/stream\/consumer.*? -->\n```\n(.*?)```/su.exec(
    readFileSync(join(projectRoot, 'SECURITY.md'), 'utf8'),
  ) ?? [];

/** A user of Redis that a test made. */
export interface DocumentedUser {
  /** The address that it calls Redis by. */
  readonly url: string;
  /** What Redis refused it. */
  readonly denied: () => Promise<ReadonlyArray<string>>;
}

/** Makes the user that SECURITY.md names `name`, for a stream and a group of the test, with `more` rules. */
export const documentedUser = async (
  redis: Pick<RedisClient, 'sendCommand'>,
  url: string,
  { name, stream, group }: Readonly<Record<'name' | 'stream' | 'group', string>>,
  ...more: ReadonlyArray<string>
): Promise<DocumentedUser> => {
  const [, rules] = new RegExp(`^user ${name} (.*)$`, 'mu').exec(lines) ?? [];
  if (rules === undefined) throw new Error(`SECURITY.md has no user ${name}`);
  const user = `${name}-${randomUUID()}`;
  const own = rules
    .replaceAll('point-alarm-events', stream)
    .replaceAll(/:(?:trail|point-alarm-alerts):/gu, `:${group}:`)
    .split(' ');
  await redis.sendCommand(['ACL', 'SETUSER', user, ...own, ...more]);
  onTestFinished(() => redis.sendCommand(['ACL', 'DELUSER', user]));
  return {
    url: `redis://${user}:change-me@${new URL(url).host}`,
    denied: async () => {
      const entries = await redis.sendCommand<ReadonlyArray<unknown>>(['ACL', 'LOG', '1000']);
      return entries.map(String).filter((entry) => entry.includes(user));
    },
  };
};

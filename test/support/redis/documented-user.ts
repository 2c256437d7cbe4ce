import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import type { RedisClient } from '../../../stream/redis-connection';

/** The lines of Redis' ACL file that SECURITY.md shows. */
const [, lines = ''] =
  /<!-- run: test\/integration\/stream\/consumer.*? -->\n```\n(.*?)```/su.exec(
    readFileSync(join(projectRoot, 'SECURITY.md'), 'utf8'),
  ) ?? [];

export interface DocumentedUser {
  /** The address that it calls Redis by. */
  readonly url: string;
  /** What Redis refused it. */
  readonly denied: () => Promise<ReadonlyArray<string>>;
}

/** What a user is and where: its name in SECURITY.md, the stream and the group of a test. */
type Documented = Readonly<Record<'name' | 'stream' | 'group', string>>;

/** The rules of the user that SECURITY.md names `name`. */
export const documentedRules = ({ name, stream, group }: Documented): ReadonlyArray<string> => {
  const [, rules] = new RegExp(`^user ${name} (.*)$`, 'mu').exec(lines) ?? [];
  if (rules === undefined) throw new Error(`SECURITY.md has no user ${name}`);
  return rules
    .replaceAll('point-alarm-events', stream)
    .replaceAll(/:(?:trail|point-alarm-alerts):/gu, `:${group}:`)
    .split(' ');
};

/** Makes that user, with `more` rules. */
export const documentedUser = async (
  redis: Pick<RedisClient, 'sendCommand'>,
  url: string,
  documented: Documented,
  ...more: ReadonlyArray<string>
): Promise<DocumentedUser> => {
  const user = `${documented.name}-${randomUUID()}`;
  await redis.sendCommand(['ACL', 'SETUSER', user, ...documentedRules(documented), ...more]);
  onTestFinished(() => redis.sendCommand(['ACL', 'DELUSER', user]));
  return {
    url: `redis://${user}:change-me@${new URL(url).host}`,
    denied: async () => {
      const entries = await redis.sendCommand<ReadonlyArray<unknown>>(['ACL', 'LOG', '1000']);
      return entries.map(String).filter((entry) => entry.includes(user));
    },
  };
};

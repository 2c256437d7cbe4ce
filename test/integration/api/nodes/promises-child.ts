import { AsyncLocalStorage, executionAsyncId } from 'node:async_hooks';
import { openTemporalConnection } from '../../../../api/nodes/temporal/connection';
import { queryNode, views } from '../../../../api/nodes/temporal/reads';
import { createLog } from '../../../../process/log';

/* Asks for a node as an API process does, and tells before and after whether this process hooks its promises. */

/** Only a promise that is hooked has an id of its own. */
const areHooked = async (): Promise<boolean> => {
  await Promise.resolve();
  const first = executionAsyncId();
  await Promise.resolve();
  return executionAsyncId() !== first;
};

const main = async (): Promise<void> => {
  const [address = '', nodeId = ''] = process.argv.slice(2);
  const log = createLog({ level: 'silent', process: 'test' });
  const link = openTemporalConnection({ connection: { address }, namespace: 'default', log });
  const before = await areHooked();
  const answer = await queryNode({ ...link, log }, views.alarmStatus, nodeId, performance.now() + 10_000);
  const after = await areHooked();
  new AsyncLocalStorage<string>().enterWith('');
  const withStorage = await areHooked();
  process.stdout.write(JSON.stringify({ answer: answer._tag, before, after, withStorage }));
  await link.close();
};
void main();

import { randomUUID } from 'node:crypto';
import { signals } from '../../../workflows/messages';
import { measured, windowed, type Nodes } from './nodes';

/** A command as the payload of its signal or update. */
export const unnamed = (command: object): object =>
  Object.fromEntries(Object.entries(command).filter(([name]) => name !== 'name'));

/**
 * A node that saw everything a node sees: every command as group, update and signal, refusals, garbage, a cancel request,
 * and enough commands for three runs: most are empty, so that the history stays small.
 */
export const runSampleNode = async (nodes: Nodes): Promise<string> => {
  const nodeId = randomUUID();
  const handle = nodes.handle(nodeId);
  await nodes.send(nodeId, [
    windowed({ idempotencyKey: 'first' }),
    measured(30, { idempotencyKey: 'second' }),
    {
      name: 'patchThreshold',
      userId: 'tester',
      operations: [{ op: 'replace', path: '/overall/innerHigh', value: 55 }],
    },
    { name: 'patchThreshold', userId: 'tester', operations: [{ op: 'test', path: '/overall/unit', value: 'F' }] },
    { name: 'setExternalAlarm', userId: 'tester', status: 3, setBy: randomUUID() },
    { name: 'recalculate', userId: 'tester' },
    { name: 'nothing known' },
  ]);
  await handle.signal(signals.recordMeasurement, unnamed(measured(80)));
  await handle.signal(signals.setThreshold, { threshold: 'garbage' });
  await handle.executeUpdate('setThreshold', { args: [unnamed(windowed())] });
  await handle.executeUpdate('setExternalAlarm', { args: [{ userId: 'tester', status: 9 }] }).catch(() => undefined);
  await handle.cancel();
  for (let group = 0; group < 22; group += 1) {
    await nodes.send(nodeId, [
      ...Array.from({ length: 45 }, () => ({})),
      ...Array.from({ length: 5 }, (_, index) => measured(group + index)),
    ]);
    if (group % 10 === 0) await handle.signal(signals.recalculate, { userId: 'tester' });
  }
  await nodes.allPublished(nodeId);
  return nodeId;
};

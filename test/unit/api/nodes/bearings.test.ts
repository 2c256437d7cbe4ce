import * as E from 'fp-ts/Either';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { withOwnBearings } from '../../../../api/nodes/bearings';
import type { PointAlarms } from '../../../../api/ports';
import { indexBearings } from '../../../../workflows/domain/rating/vibration/bearings/bearing-lookup';
import { createMemoryNodes } from '../../../support/api/memory-point-alarms';
import { spectrum } from '../../../support/measurements';
import type { Command } from '../../../../workflows/domain/node/commands';

const nodeId = '11111111-2222-4333-8444-555555555555';
const userId = 'tester';
const orders = { ftf: 0.38, bsf: 2, bpfo: 3.04, bpfi: 4.96 };
const own = indexBearings([{ manufacturer: 'ACME', modelNumber: 'X1', orders }]);
const hal = (modelNumber: string) => ({ label: 'BPFO', bearing: { manufacturer: 'ACME', modelNumber }, upperAlert: 1 });
const measurement = spectrum(
  Array.from({ length: 2_000 }, (_, index) => ({ x: index * 0.5, y: 1 + (index % 7) / 10 })),
);

describe('bearings of the operator', () => {
  let memory: PointAlarms;
  let nodes: PointAlarms;
  beforeEach(() => {
    memory = createMemoryNodes().port;
    nodes = withOwnBearings(memory, () => own, 10_000);
  });
  const send = (port: PointAlarms, command: object) => port.send(nodeId, { userId, ...command } as Command)();
  const firstHal = async () => {
    await send(memory, { name: 'recordMeasurement', measurement });
    const status = await nodes.alarmStatus(nodeId)();
    return E.isRight(status) ? status.right.value.halAlarms?.[0] : undefined;
  };

  test('are found when a threshold is set', async () => {
    await send(nodes, { name: 'setThreshold', threshold: { halAlarms: [hal('X1')] } });
    expect(await firstHal()).toMatchObject({ rpmFactor: 3.04, faultFrequency: 76 });
  });

  test('are found when a patch names one, whatever part of the name it changes', async () => {
    await send(nodes, { name: 'setThreshold', threshold: { halAlarms: [hal('X2')] } });
    expect(await firstHal()).toMatchObject({ status: 1, errorDescription: 'unknown bearing ACME X2' });
    const operations = [{ op: 'replace', path: '/halAlarms/0/bearing/modelNumber', value: 'X1' }];
    expect(await send(nodes, { name: 'patchThreshold', operations })).toMatchObject({ right: { revision: 2 } });
    expect(await firstHal()).toMatchObject({ rpmFactor: 3.04 });
  });

  test('are not shown by GET', async () => {
    await send(nodes, { name: 'setThreshold', threshold: { halAlarms: [hal('X1')] } });
    const shown = await nodes.threshold(nodeId)();
    expect(shown).toEqual(E.right({ value: { revision: 1, threshold: { nodeId, halAlarms: [hal('X1')] } } }));
  });

  test('a patch goes again, as often as others change the names that it comes to', async () => {
    const others = Array.from({ length: 20 }, (_, index) => hal(`Y${index}`));
    let tries = 0;
    const disturbed: PointAlarms = {
      ...memory,
      send: (id, command) => async () => {
        const other = others[tries];
        tries += 1;
        if (other !== undefined)
          await send(memory, {
            name: 'patchThreshold',
            operations: [{ op: 'add', path: '/halAlarms/-', value: other }],
          });
        return memory.send(id, command)();
      },
    };
    await send(memory, { name: 'setThreshold', threshold: { halAlarms: [hal('X2')] } });
    const operations = [{ op: 'replace', path: '/halAlarms/0/bearing/modelNumber', value: 'X1' }];
    const port = withOwnBearings(disturbed, () => own, 10_000);
    expect(await send(port, { name: 'patchThreshold', operations })).toMatchObject({ right: { revision: 22 } });
    expect(tries).toBe(21);
    expect(await firstHal()).toMatchObject({ rpmFactor: 3.04 });
  });

  test('a patch that others disturb without end is over at its deadline', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let index = 0;
    const disturbed: PointAlarms = {
      ...memory,
      send: (id, command) => async () => {
        const value = hal(`Y${(index += 1)}`);
        await send(memory, { name: 'patchThreshold', operations: [{ op: 'replace', path: '/halAlarms/1', value }] });
        vi.advanceTimersByTime(1);
        return memory.send(id, command)();
      },
    };
    await send(memory, { name: 'setThreshold', threshold: { halAlarms: [hal('X2'), hal('X2')] } });
    const operations = [{ op: 'replace', path: '/halAlarms/0/bearing/modelNumber', value: 'X1' }];
    const port = withOwnBearings(disturbed, () => own, 50);
    const refused = await send(port, { name: 'patchThreshold', operations });
    expect(E.isLeft(refused) ? refused.left._tag : 'sent').toMatch(/^(?:TimedOut|BearingsNeeded)$/u);
  });

  test("a caller's own precondition is not tried again", async () => {
    await send(nodes, { name: 'setThreshold', threshold: { halAlarms: [hal('X2')] } });
    const operations = [{ op: 'remove', path: '/halAlarms/0' }];
    expect(await send(nodes, { name: 'patchThreshold', operations, ifMatch: [7] })).toEqual(
      E.left({ _tag: 'PreconditionFailed', revision: 1 }),
    );
  });

  test('a patch that does not apply is refused by the node', async () => {
    const operations = [{ op: 'remove', path: '/halAlarms/0' }];
    expect(await send(nodes, { name: 'patchThreshold', operations })).toMatchObject({
      left: { _tag: 'PatchConflict' },
    });
  });
});

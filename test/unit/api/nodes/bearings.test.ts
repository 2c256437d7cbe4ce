import * as E from 'fp-ts/Either';
import { beforeEach, describe, expect, test } from 'vitest';
import { withOwnBearings } from '../../../../api/nodes/bearings';
import type { Caller, PointAlarms } from '../../../../api/ports';
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
    nodes = withOwnBearings(memory, () => own);
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

  test('a patch goes again where others change the names that it comes to, always on behalf of its caller', async () => {
    const others = Array.from({ length: 5 }, (_, index) => hal(`Y${index}`));
    const by = { userId, disconnected: new AbortController().signal, until: performance.now() + 10_000 };
    const asked: Array<Caller | undefined> = [];
    let tries = 0;
    const disturbed: PointAlarms = {
      ...memory,
      send: (id, command, whose) => async () => {
        const other = others[tries];
        tries += 1;
        asked.push(whose);
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
    const port = withOwnBearings(disturbed, () => own);
    const patch = { name: 'patchThreshold', userId, operations } as Command;
    expect(await port.send(nodeId, patch, by)()).toMatchObject({ right: { revision: 7 } });
    expect(asked).toEqual(Array.from({ length: 6 }, () => by));
    expect(await firstHal()).toMatchObject({ rpmFactor: 3.04 });
  });

  test('a patch that others disturb without end is given up', async () => {
    let index = 0;
    const disturbed: PointAlarms = {
      ...memory,
      send: (id, command) => async () => {
        const value = hal(`Y${(index += 1)}`);
        await send(memory, { name: 'patchThreshold', operations: [{ op: 'replace', path: '/halAlarms/1', value }] });
        return memory.send(id, command)();
      },
    };
    await send(memory, { name: 'setThreshold', threshold: { halAlarms: [hal('X2'), hal('X2')] } });
    const operations = [{ op: 'replace', path: '/halAlarms/0/bearing/modelNumber', value: 'X1' }];
    const port = withOwnBearings(disturbed, () => own);
    expect(await send(port, { name: 'patchThreshold', operations })).toMatchObject({
      left: { _tag: 'BearingsNeeded' },
    });
    expect(index).toBe(8);
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

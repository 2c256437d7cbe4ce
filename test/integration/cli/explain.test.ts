import { randomUUID } from 'node:crypto';
import * as E from 'fp-ts/Either';
import { expect, inject, test } from 'vitest';
import { connectTemporal } from '../../../cli/temporal';
import { queries } from '../../../workflows/messages';
import { snapshotView } from '../../../workflows/domain/node/state';
import { rightOf } from '../../support/either';
import { forFile } from '../../support/for-file';
import { runSampleNode } from '../workflows/sample-node';
import { bringUpNodes } from '../workflows/nodes';

const nodes = forFile(bringUpNodes, ({ stop }) => stop());

test('of a node that Temporal does not know it says so', async () => {
  const { stateOf, close } = await connectTemporal({
    ...{ connection: { address: inject('temporalAddress') }, namespace: 'default' },
    ...{ taskQueue: nodes.taskQueue, searchAttributes: true },
  });
  expect(await stateOf(randomUUID()).finally(close)).toEqual(E.left('Temporal has no such node'));
});

test('the state that its history tells is the one that the node has, in each run and to the last id', async () => {
  const nodeId = await runSampleNode(nodes);
  const { stateOf, close } = await connectTemporal({
    ...{ connection: { address: inject('temporalAddress') }, namespace: 'default' },
    ...{ taskQueue: nodes.taskQueue, searchAttributes: true },
  });
  try {
    const state = await stateOf(nodeId);
    const snapshot = await nodes.handle(nodeId).query(queries.snapshot);
    expect(snapshotView(rightOf(state))).toEqual(snapshot);
  } finally {
    await close();
  }
});

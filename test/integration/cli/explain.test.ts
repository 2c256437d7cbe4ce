import { expect, inject, test } from 'vitest';
import { connectNodes } from '../../../cli/temporal';
import { queries } from '../../../workflows/messages';
import { snapshotView } from '../../../workflows/domain/node/state';
import { rightOf } from '../../support/either';
import { forFile } from '../../support/for-file';
import { liveALife } from '../workflows/life';
import { bringUpNodes } from '../workflows/nodes';

const nodes = forFile(bringUpNodes, ({ stop }) => stop());

test('the state that its history tells is the one that the node has, in each run and to the last id', async () => {
  const nodeId = await liveALife(nodes);
  const { stateOf, close } = await connectNodes({
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

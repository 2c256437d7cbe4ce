import { NativeConnection, Worker } from '@temporalio/worker';
import { servePages } from '../../process/page-server';
import { TASK_QUEUE } from './counter.workflow';

/**
 * The worker of the baseline (a workflow that only counts, in plain Temporal), with the SDK's defaults: `node
 * dist/dev/bench/baseline.js <host:port>`. Once it is ready, it answers HTTP on PORT.
 */
const main = async (address = ''): Promise<void> => {
  const connection = await NativeConnection.connect({ address });
  const workflowsPath = require.resolve('./counter.workflow');
  const worker = await Worker.create({ connection, taskQueue: TASK_QUEUE, workflowsPath });
  const running = worker.run();
  await servePages({ port: Number(process.env['PORT']) }, () => Promise.resolve({ status: 200 }));
  await running;
};

main(process.argv[2]).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

import { NativeConnection, Worker } from '@temporalio/worker';

/** The baseline's worker, by the SDK's defaults: `node dist/bench/baseline.js <host:port> <task queue>`. */
const main = async ([address = '', taskQueue = '']: ReadonlyArray<string>): Promise<void> => {
  const connection = await NativeConnection.connect({ address });
  const workflowsPath = require.resolve('./counter.workflow');
  const worker = await Worker.create({ connection, taskQueue, workflowsPath });
  const running = worker.run();
  console.log('ready');
  await running;
};

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

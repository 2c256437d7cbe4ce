import { NativeConnection, Worker } from '@temporalio/worker';
import { FLOOR_RUNS, FLOOR_TASK_QUEUE } from './names';

/** The floor's worker, by the SDK's defaults: `node dist/bench/floor/main.js host:port`. */
const main = async ([address = '']: ReadonlyArray<string>): Promise<void> => {
  const connection = await NativeConnection.connect({ address });
  const workflowsPath = require.resolve('./counter.workflow');
  const worker = await Worker.create({ connection, taskQueue: FLOOR_TASK_QUEUE, workflowsPath });
  const running = worker.run();
  console.log(FLOOR_RUNS);
  await running;
};

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

// Lets the SDK download the Temporal command into a folder: `node sdk-download.mjs <folder> <version>`. The SDK downloads it
// only to start a server, which is stopped at once.
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [downloadDir, version] = process.argv.slice(2);
const environment = await TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', version, downloadDir } },
});
await environment.teardown();
process.exit(0);

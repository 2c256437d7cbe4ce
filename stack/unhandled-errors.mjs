// A reporter of vitest: errors outside of any test leave a file in `reports/`, by which .ci/run knows a failure without a file of
// tests from one that it may repeat.
import { mkdirSync, writeFileSync } from 'node:fs';

export default class {
  onTestRunEnd(_modules, errors) {
    if (errors.length === 0) return;
    mkdirSync('reports', { recursive: true });
    writeFileSync(`reports/unhandled-${process.pid}.loose`, errors.map(({ message }) => message).join('\n'));
  }
}

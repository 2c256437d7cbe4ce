// A reporter of vitest. If errors occur outside of any test, it leaves a file in `reports/`. That file keeps .ci/run from
// running the failed test files once more: if they passed then, these errors would stay hidden.
import { mkdirSync, writeFileSync } from 'node:fs';

export default class {
  onTestRunEnd(_modules, errors) {
    if (errors.length === 0) return;
    mkdirSync('reports', { recursive: true });
    writeFileSync(`reports/unhandled-${process.pid}.loose`, errors.map(({ message }) => message).join('\n'));
  }
}

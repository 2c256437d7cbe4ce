import { join } from 'node:path';
import { runEntry, reportTo } from '../../../stack/report';
import { listenForInterrupts } from '../../../stack/interrupts';
import { supervise } from '../../../stack/supervise';

/** What `npm start` runs, with fake parts: `supervisor.ts <data folder> <Temporal port> <UI port> <Redis port>`. */
const main = async (): Promise<number> => {
  const [folder = '', ...ports] = process.argv.slice(2);
  const [temporal = 0, ui = 0, redis = 0] = ports.map(Number);
  await supervise({
    env: process.env,
    folder,
    entries: { worker: fakePart('worker'), api: fakePart('api') },
    ports: { temporal, ui, redis },
    interrupts: listenForInterrupts(false),
    report: reportTo(process.stdout),
    print: (line) => process.stdout.write(`${line}\n`),
  });
  return 0;
};

const fakePart = (name: string): ReadonlyArray<string> => [
  '--require',
  'tsx/cjs',
  join(__dirname, 'fake-part.ts'),
  name,
];

void runEntry(main);

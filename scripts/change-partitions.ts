import * as E from 'fp-ts/Either';
import { pause } from '../process/backoff';
import { createLog } from '../process/log';
import { orExit, workerSettings } from '../process/settings';
import { changePartitions } from '../stream/change-partitions';
import { connectStream } from '../stream/connection';

/** `node dist/scripts/change-partitions.js 1 6`: changes the partitions of EVENT_STREAM from 1 to 6 (docs/events.md, "Partitions"). */
const main = async (): Promise<void> => {
  const [from, to] = process.argv.slice(2).map(Number);
  if (from === undefined || to === undefined || ![from, to].every(isCount) || from === to) {
    process.stderr.write('Name two counts from 1 to 1024, the old one and the new one: change-partitions 1 6\n');
    process.exit(2);
  }
  const envOf = (count: number) => ({ ...process.env, EVENT_STREAM_PARTITIONS: String(count) });
  const { redis, events } = orExit(
    'change of partitions',
    E.chain(() => workerSettings(envOf(from)))(workerSettings(envOf(to))),
  );
  const log = createLog({ level: 'warn', process: 'change-partitions' });
  const sideOf = (partitions: number) => ({
    ...connectStream({ ...redis, ...events, partitions, log, name: 'change-partitions' }),
    partitions,
  });
  const sides = [sideOf(from), sideOf(to)] as const;
  try {
    for (const side of sides) while (!(await side.answers())) await pause(200);
    const nodes = await changePartitions({ ...events, from: sides[0], to: sides[1] });
    process.stdout.write(`${events.stream} has ${to} partitions now; ${nodes} nodes were moved\n`);
  } finally {
    await Promise.all(sides.map((side) => side.close()));
  }
};

const isCount = (count: number): boolean => Number.isInteger(count) && count >= 1 && count <= 1_024;

void main();

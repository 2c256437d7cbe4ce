import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import { linePicture } from '../charts';
import { pictureColours } from '../svg';
import { projectRoot } from '../../stack/project-root';
import { entriesAfter } from '../../../stream/pages';
import { sendPut } from './plant';

const NODES = 40;
const EVERY_MS = 50;
const [SECONDS, FROM, LASTS] = [40, 10, 15];
const STREAM = 'point-alarm-events';

/** Pauses Redis under a steady load, and draws how many events per second are committed and how many reach the stream. */
export const drawOutage = async (base: string, token: string, redisUrl: string): Promise<void> => {
  const redis = await createClient({ url: redisUrl }).connect();
  const nodes = Array.from(
    { length: NODES },
    (_, index) => `000000af-7c1a-4d2e-8f3b-${String(index).padStart(12, '0')}`,
  );
  for (const node of nodes)
    await sendPut(base, token, `point-alarm-threshold/${node}`, { thresholdType: 2, overall: { innerHigh: 5 } });
  const begin = Date.now();
  const calls: Promise<void>[] = [];
  let isPaused = false;
  for (let call = 0; Date.now() - begin < SECONDS * 1_000; call += 1) {
    if (!isPaused && Date.now() - begin >= FROM * 1_000) {
      isPaused = true;
      await redis.sendCommand(['CLIENT', 'PAUSE', String(LASTS * 1_000), 'ALL']);
    }
    const measurement = {
      measurementId: `00000000-0000-4000-8000-${String(call).padStart(12, '0')}`,
      createdAt: new Date().toISOString(),
      contentType: 'DATA_POINT',
      dataPoint: { coordinate: { x: 0, y: call % 9 }, xUnit: 's', yUnit: 'mm/s' },
    };
    calls.push(sendPut(base, token, `alarm-status/${nodes[call % NODES] ?? ''}`, measurement));
    await sleep(EVERY_MS);
  }
  await Promise.all(calls);
  const entries = await entriesAfter(redis, STREAM, `${begin - 1}-0`);
  await redis.close();
  const perSecond = (times: ReadonlyArray<number>): ReadonlyArray<number> =>
    Array.from(
      { length: SECONDS },
      (_, second) => times.filter((time) => Math.floor((time - begin) / 1_000) === second).length,
    );
  const committed = perSecond(entries.map(({ fields }) => Number(fields['timestamp'])));
  const appended = perSecond(entries.map(({ id }) => Number.parseInt(id, 10)));
  const picture = linePicture({
    title: `Redis stands still for ${LASTS} seconds: events`,
    unit: 'per second',
    most: Math.ceil(Math.max(...appended) / 20) * 20,
    step: (index) => `second ${index + 1}`,
    span: { from: FROM, to: FROM + LASTS, name: 'Redis does not answer' },
    lines: [
      { name: 'in the stream', colour: pictureColours.service, values: appended },
      { name: 'in the nodes', colour: pictureColours.goodLine, values: committed },
    ],
  });
  writeFileSync(join(projectRoot, 'docs/images/outage.svg'), picture);
};

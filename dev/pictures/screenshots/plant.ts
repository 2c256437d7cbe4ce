import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../stack/project-root';

/** The node in the screenshot of a node's page: a pump with a bearing, bands, limits and an alarm from outside. */
export const PUMP = 'b1f6a2d4-0c35-4e8a-9c77-5d1e2f3a4b6c';

const overall = { unit: 'mm/s', outerHigh: 11.2, innerHigh: 7.1 };
const band = (label: string, from: number, to: number, alert: number, danger: number) => ({
  label,
  minFrequency: { value: from, valueType: 2 },
  maxFrequency: { value: to, valueType: 2 },
  overallThreshold: {
    unit: 'g',
    upperAlert: { value: alert, valueType: 1 },
    upperDanger: { value: danger, valueType: 1 },
  },
});
const hal = (label: string) => ({
  label,
  halAlarmType: 'FREQUENCY',
  bearing: { manufacturer: 'SKF', modelNumber: '6205' },
  upperAlert: 3.5,
  upperDanger: 5,
});
const idOf = (kind: number, number: number): string =>
  `${kind.toString(16).padStart(8, '0')}-7c1a-4d2e-8f3b-${number.toString(16).padStart(12, '0')}`;
const velocity = (number: number, y: number) => ({
  measurementId: idOf(0x3b, number),
  createdAt: `2026-01-31T10:${String(number).padStart(2, '0')}:00.000Z`,
  contentType: 'DATA_POINT',
  dataPoint: { coordinate: { x: 0, y }, xUnit: 's', yUnit: 'mm/s' },
});

/** Velocities of further nodes (mm/s): above 7.1 is DANGER, exactly 7.1 is ALERT, below 7.1 is GOOD. */
const velocities = [12.4, 3.1, 8.8, 7.1, 2.2, 14.9, 1.4, 7.1, 4.8, 9.6];
/** How many nodes are in DANGER in the end: those with a velocity above 7.1, and the pump. */
export const IN_DANGER = velocities.filter((y) => y > overall.innerHigh).length + 1;

/** Sends `body` by PUT to the service at `base`. Errors: any answer but a success. */
export const sendPut = async (base: string, token: string, path: string, body: unknown): Promise<void> => {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const answer = await fetch(`${base}/v1/${path}`, { method: 'PUT', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`PUT ${path}: ${answer.status} ${await answer.text()}`);
};

/** Fills the service at `base` with nodes, as a user with `token` would. */
export const fillPlant = async (base: string, token: string): Promise<void> => {
  const putHere = (path: string, body: unknown): Promise<void> => sendPut(base, token, path, body);
  for (const [index, y] of velocities.entries()) {
    const node = idOf(0x9e, index + 1);
    await putHere(`point-alarm-threshold/${node}`, { thresholdType: 2, overall });
    await putHere(`alarm-status/${node}`, velocity(index + 2, y));
  }
  await putHere(`point-alarm-threshold/${PUMP}`, {
    thresholdType: 2,
    overall,
    rateOfChange: { unit: 'mm/s per week', innerHigh: 1, outerHigh: 2 },
    bandAlarms: [band('1x', 0.8, 1.2, 0.1, 0.2), band('2x to 10x', 2, 10, 0.3, 1), band('bearing', 10, 30, 0.5, 1)],
    halAlarms: ['BPFO', 'BPFI', 'BSF', 'FTF'].map(hal),
  });
  await putHere(`alarm-status/${PUMP}`, { ...velocity(1, 5.2), rateOfChange: 0.4 });
  await putHere(
    `alarm-status/${PUMP}`,
    JSON.parse(readFileSync(join(projectRoot, 'docs/examples/outer-race.json'), 'utf8')),
  );
  await putHere(`alarm-status/${PUMP}/status/external`, { status: 3, setBy: 'd3a7c1f0-5b1e-4c52-9a64-1f0c7e2b8d90' });
};

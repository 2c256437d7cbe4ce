import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { hardLimits } from '../../../workflows/domain/limits';
import { forFile } from '../../support/for-file';
import { spectrum } from '../../support/measurements';
import { startService } from '../../support/service';

const service = forFile(startService, ({ stop }) => stop());

test('a spectrum of the most lines, all of full doubles, is taken as people write it', async () => {
  const lines = Array.from({ length: hardLimits.spectrumLines }, (_, index) => ({
    x: 12.3456789012345 + index / 37,
    y: 0.12345678901234567 + index / 1e6,
  }));
  const body = Buffer.from(JSON.stringify(spectrum(lines)));
  expect(body.length).toBeGreaterThan(1_100_000);
  const node = randomUUID();
  const band = { label: 'all', overallThreshold: { upperAlert: { value: 0.5, valueType: 1 } } };
  const threshold = { method: 'PUT', path: `/v1/point-alarm-threshold/${node}`, body: { bandAlarms: [band] } };
  expect((await service.call(threshold)).status).toBe(204);
  const sent = await service.call({ method: 'PUT', path: `/v1/alarm-status/${node}`, body });
  expect([sent.status, sent.text]).toEqual([204, '']);
  const { json } = await service.call({ method: 'GET', path: `/v1/alarm-status/${node}` });
  const rms = Math.sqrt(lines.reduce((sum, { y }) => sum + y ** 2, 0));
  expect(json).toMatchObject({
    status: 3,
    bandAlarms: [{ status: 3, calculatedOverall: { value: expect.closeTo(rms, 3), unit: 'mm/s' } }],
  });
});

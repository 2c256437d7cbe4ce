import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { orders6205, SPACING, spectrumOf } from './machine';
import { randomOf } from './random';

/** Lines that docs/spectra.md needs: up to 1,000 Hz. */
const LINES = 6_400;
const SPEED_RPM = 1_780;

/** Writes the measurement of docs/spectra.md: a motor whose bearing has a damaged outer race. */
const y = spectrumOf({ shaftHz: SPEED_RPM / 60, orders: orders6205, slip: 0.008, snr: 22, fault: 'bpfo' }, randomOf(7));
const measurement = {
  measurementId: '5f0c2e1a-77b3-4c1e-9d55-0b8f6a4e2c91',
  createdAt: '2026-01-31T10:05:00.000Z',
  contentType: 'SPECTRUM',
  spectrum: {
    speed: SPEED_RPM,
    xUnit: 'Hz',
    yUnit: 'g',
    windowFunction: 'hann',
    coordinates: y
      .slice(0, LINES)
      .map((amplitude, index) => ({ x: index * SPACING, y: Number(amplitude.toPrecision(4)) })),
  },
};
writeFileSync(join(__dirname, '../../docs/examples/outer-race.json'), `${JSON.stringify(measurement)}\n`);

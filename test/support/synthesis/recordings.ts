import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { orders6205 } from './machine';
import { normal, randomOf } from './random';

export const RATE = 25_600;
export const FULL_SCALE = 8;
const [SECONDS, SHAFT_HZ] = [10, 1_780 / 60];

/** Noise and an unbalance of 1.3 mm/s (RMS), in g; at each strike of an outer ring fault a resonance of 3.5 kHz rings, `strike` high. */
export const samplesOf = (seed: number, strike: number): Float64Array => {
  const random = randomOf(seed);
  const samples = Float64Array.from(
    { length: RATE * SECONDS },
    (_, n) => 0.5 * normal(random) + 0.035 * Math.sin((2 * Math.PI * SHAFT_HZ * n) / RATE),
  );
  const between = RATE / (orders6205.bpfo * SHAFT_HZ);
  for (let at = between; at < samples.length; at += between * (1 + 0.002 * normal(random)))
    for (let n = 0; n < 256; n += 1) {
      const ring = strike * Math.exp(-n / 40) * Math.sin((2 * Math.PI * 3_500 * n) / RATE);
      samples[Math.floor(at) + n] = (samples[Math.floor(at) + n] ?? 0) + ring;
    }
  return samples;
};

/** One channel of 16 bits, with the header of PCM. */
const wavOf = (samples: Float64Array): Buffer => {
  const data = Buffer.alloc(44 + 2 * samples.length);
  for (const [at, text] of Object.entries({ 0: 'RIFF', 8: 'WAVEfmt ', 36: 'data' })) data.write(text, Number(at));
  const longs = { 4: 36 + 2 * samples.length, 16: 16, 24: RATE, 28: 2 * RATE, 40: 2 * samples.length };
  for (const [at, value] of Object.entries(longs)) data.writeUInt32LE(value, Number(at));
  for (const [at, value] of Object.entries({ 20: 1, 22: 1, 32: 2, 34: 16 })) data.writeUInt16LE(value, Number(at));
  samples.forEach((value, n) => data.writeInt16LE(Math.round((value / FULL_SCALE) * 32_767), 44 + 2 * n));
  return data;
};

/** One second of a recording as a logger of German settings writes it: blanks in headings, milliseconds, decimal commas, two channels. */
const loggerOf = (samples: Float64Array): string => {
  const row = (value: number, n: number): string =>
    [(1_000 * n) / RATE, value, value / 3].map((cell) => cell.toFixed(6)).join(';');
  const table = Array.from(samples.subarray(0, RATE), row).join('\n');
  return `Zeit [ms];Lager A [g];Lager B [g]\n${table.replaceAll('.', ',')}\n`;
};

/** The recordings of docs/recordings.md: twenty of a healthy machine with their speeds and times, also as if of two; one of an outer ring fault. */
export const writeRecordings = (folder: string): void => {
  mkdirSync(join(folder, 'healthy'));
  const names = Array.from({ length: 20 }, (_, at) => `${String(at + 1).padStart(2, '0')}.wav`);
  for (const [at, name] of names.entries()) writeFileSync(join(folder, 'healthy', name), wavOf(samplesOf(at + 1, 0)));
  const speed = (at: number): string => `1780,2026-01-${at + 11}T10:00:00Z\n`;
  const speeds = names.map((name, at) => `${name},${speed(at)}`);
  writeFileSync(join(folder, 'healthy', 'speeds.csv'), `file,rpm,time\n${speeds.join('')}`);
  const machines = names.map((name, at) => {
    const fan = at < 10 ? 1 : 2;
    return `healthy/${name},fan-${fan},f0b7c1de-53a9-4c1e-8f60-2d9a4b7e6c3${fan},${speed(at)}`;
  });
  writeFileSync(join(folder, 'machines.csv'), `file,machine,node,rpm,time\n${machines.join('')}`);
  const damaged = samplesOf(21, 0.5);
  writeFileSync(join(folder, 'today.wav'), wavOf(damaged));
  writeFileSync(join(folder, 'logger.csv'), loggerOf(damaged));
};

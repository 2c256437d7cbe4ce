import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../../dev/stack/project-root';
import { consoleCommands } from '../../support/documents/console';
import { FULL_SCALE, RATE, samplesOf, writeRecordings } from '../../support/synthesis/recordings';
import { folderOfFile } from '../../support/temporary-folder';

const folder = folderOfFile();
beforeAll(() => {
  cpSync(join(projectRoot, 'docs/examples'), join(folder, 'docs/examples'), { recursive: true });
  writeRecordings(folder);
});

/** A command `npm` that runs `pas` at once: pas-limits calls it too. */
beforeAll(() => {
  mkdirSync(join(folder, 'bin'));
  const npm = `#!/bin/sh\nshift 4\nexec node '${join(projectRoot, 'dist/cli/main.js')}' "$@"\n`;
  writeFileSync(join(folder, 'bin/npm'), npm, { mode: 0o755 });
});
const run = (script: string): string =>
  execFileSync('bash', ['-c', `PATH="$PWD/bin:$PATH"\n${script}`], { cwd: folder, encoding: 'utf8' }).trimEnd();
/** Without lines of progress, which only a slow machine prints. */
const settled = (printed: string): string => printed.replaceAll(/^\d+ of \d+ recordings read\n/gmu, '');

test.each(['recordings', 'limits-from-recordings'])(
  'every command of docs/%s.md prints what is shown there',
  (name) => {
    const page = readFileSync(join(projectRoot, `docs/${name}.md`), 'utf8');
    for (const { command, output } of consoleCommands(page))
      expect({ command, printed: settled(run(`exec 2>&1\n${command}`)) }).toEqual({ command, printed: output });
  },
);

const PAS_SPECTRUM = '.venv/bin/pas-spectrum';
const spectrumOf = (file: string, options: string): { yUnit: string; coordinates: { x: number; y: number }[] } =>
  JSON.parse(run(`${PAS_SPECTRUM} ${file} --rpm 1780 ${options} 2> /dev/null`)).spectrum;
const refusalOf = (file: string, options = ''): string =>
  run(`${PAS_SPECTRUM} ${file} --rpm 1780 ${options} 2>&1 || true`);
const ENVELOPE = '--envelope 2500 4500 --scale 8';

test('a CSV of the same samples makes the same spectrum, and one that is too short says how long it must be', () => {
  const samples = samplesOf(21, 0.5).map((value) => Math.round((value / FULL_SCALE) * 32_767) / 32_768);
  const rows = Array.from(samples, (value, n) => `${n / RATE},${value}`);
  writeFileSync(join(folder, 'today.csv'), rows.join('\n'));
  expect(spectrumOf('today.csv', `--x 0 ${ENVELOPE}`)).toEqual(spectrumOf('today.wav', ENVELOPE));
  writeFileSync(join(folder, 'short.csv'), rows.slice(0, RATE).join('\n'));
  expect(refusalOf('short.csv', '--x 0')).toBe('short.csv: 1 s are too short: lines 0.5 Hz apart take 2 s or more');
});

test('a WAV file of floating-point samples, or with an extensible header, makes the same spectrum; a cut one none', () => {
  const pcm = readFileSync(join(folder, 'today.wav'));
  writeFileSync(join(folder, 'cut.wav'), pcm.subarray(0, 30));
  expect(refusalOf('cut.wav')).toBe('cut.wav: the header of this WAV file is cut off');
  const floats = Float32Array.from(new Int16Array(pcm.buffer.slice(pcm.byteOffset + 44)), (value) => value / 32_768);
  const float = Buffer.concat([pcm.subarray(0, 44), Buffer.from(floats.buffer)]);
  for (const [at, value] of Object.entries({ 20: 3, 32: 4, 34: 32 })) float.writeUInt16LE(value, Number(at));
  float.writeUInt32LE(floats.byteLength, 40);
  const extensible = Buffer.concat([pcm.subarray(0, 36), Buffer.alloc(24), pcm.subarray(36)]);
  for (const [at, value] of Object.entries({ 16: 40, 20: 0xfffe, 44: 1 })) extensible.writeUInt16LE(value, Number(at));
  for (const [name, bytes] of Object.entries({ float, extensible })) {
    writeFileSync(join(folder, `${name}.wav`), bytes);
    expect(spectrumOf(`${name}.wav`, ENVELOPE)).toEqual(spectrumOf('today.wav', ENVELOPE));
  }
});

test('a CSV of lines makes a spectrum of those lines', () => {
  writeFileSync(join(folder, 'lines.csv'), 'Hz,g\n0,0.1\n0.5,0.25\n1,0.125\n');
  const lines = [0.1, 0.25, 0.125].map((y, at) => ({ x: at / 2, y }));
  const about = { speed: 1780, xUnit: 'Hz', yUnit: 'g', coordinates: lines };
  const flattop = { ...about, windowFunction: 'flattop' };
  expect(spectrumOf('lines.csv', '--lines --window flattop')).toEqual(flattop);
  const orders = { ...about, xUnit: 'orders', coordinates: lines.slice(0, 2) };
  expect(spectrumOf('lines.csv', '--lines --skip 1 --x 0 --x-unit orders --highest 0.5')).toEqual(orders);
});

test.each([
  ['g', 9.80665, 100],
  ['m/s2', 1, 40.3],
])('a sine of acceleration in %s is one of velocity in mm/s', (unit, metresPerS2, hz) => {
  const samples = Array.from({ length: 20_480 }, (_, n) => 0.5 * Math.sin((2 * Math.PI * hz * n) / 5_120));
  writeFileSync(join(folder, 'sine.csv'), samples.join('\n'));
  const { yUnit, coordinates } = spectrumOf('sine.csv', `--rate 5120 --velocity --unit ${unit}`);
  const lines = coordinates.filter(({ x }) => x >= 10); // what leaks to 0 Hz grows by the division
  const rms = Math.sqrt(lines.reduce((sum, { y }) => sum + y ** 2, 0) / 1.5);
  expect(yUnit).toBe('mm/s');
  expect(rms / ((1_000 * 0.5 * metresPerS2) / Math.SQRT2 / (2 * Math.PI * hz))).toBeCloseTo(1, 2);
});

test.each([
  ['--unit mm/s', '--velocity takes a recording in --unit g or m/s2, not mm/s'],
  ['--envelope 2500 4500', '--velocity takes no envelope: plain spectra need a list without one'],
  ['--lines', '--lines takes a spectrum, which has no --velocity'],
])('only a recording of acceleration is integrated, and no envelope of it: not with %s', (options, refused) => {
  expect(refusalOf('today.wav', `--velocity ${options}`)).toBe(refused);
});

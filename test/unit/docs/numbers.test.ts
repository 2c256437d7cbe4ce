import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apiSettings, workerSettings } from '../../../process/settings';
import { projectRoot } from '../../../dev/stack/project-root';
import * as limits from '../../../workflows/domain/limits';
import { windowFunctions } from '../../../workflows/domain/measurement/spectrum';
import { findBearing, knownBearings } from '../../../workflows/domain/rating/vibration/bearings/bearing-lookup';
import { decibelsOf } from '../../../workflows/domain/rating/vibration/hal/examine-hal';
import { halConstants as hal } from '../../../workflows/domain/rating/vibration/hal/hal-constants';
import { windowOf } from '../../../workflows/domain/rating/vibration/spectral-lines';
import { rightOf } from '../../support/either';

const textOf = (page: string): string => readFileSync(join(projectRoot, 'docs', page), 'utf8');
const grouped = (value: number): string => value.toLocaleString('en-US');
const kib = (bytes: number): string => `${bytes / 1_024} KiB`;
const db = (logarithm: number, digits = 1): string => decibelsOf(logarithm).toFixed(digits);
const percent = (share: number): string => `${Number((100 * share).toFixed(1))} %`;

const { bands, textLength, spectrumLines } = limits.hardLimits;
const keysPerSecond = Math.floor(limits.MOST_KEYS / (limits.KEY_KNOWN_MS / 1_000));
const api = rightOf(apiSettings({ AUTH_JWKS_FILE: 'keys', GRANTS_FILE: 'grants' }));
const { EVENT_STREAM_MAXLEN: streamLength } = rightOf(workerSettings({}));

const leadOf = (index: number): string => db((index - hal.indexWithoutLead) / hal.indexPerLead);
const index = `The index is ${hal.indexWithoutLead} + 1.5 × lead / ${db(1.5 / hal.indexPerLead, 3)} dB`;

/** The 6205 of the example at its 1,780 rpm, beside a gear of 31 teeth. */
const [SHAFT_HZ, TEETH] = [1_780 / 60, 31];
const { ftf, bpfo, bpfi } = findBearing(knownBearings, 'SKF', '6205')!;
const cage = (ftf * SHAFT_HZ).toFixed(1);
const inner = (bpfi * SHAFT_HZ).toFixed(1);

/** What pages say with numbers of the code, as the code has them. */
const statements: ReadonlyArray<readonly [page: string, text: string]> = [
  ['hal.md', `| ${hal.explains}, a [lead](#how-the-index-is-computed) of ${leadOf(hal.explains)} dB |`],
  ['hal.md', `| 5, a lead of ${leadOf(5)} dB |`],
  ['hal.md', `the best score within ${percent(hal.slip)} of the fault's frequency`],
  ['hal.md', `from ${hal.rivalsFrom} to ${hal.rivalsTo} times the fault's`],
  ['hal.md', `minus ${hal.rivalWeight} times the rival's. ${index}`],
  ['hal.md', `at least ${db(hal.evident)} dB above the noise floor`],
  ['hal.md', `the index is at most ${hal.mostWithoutEvidence} (`],
  ['hal.md', `HALs that reach ${hal.explains} claim their lines`],
  ['hal.md', `lines apart, ${hal.resolved} are needed`],
  ['hal.md', `within ${percent(hal.onShaft)} of a multiple of the shaft cannot be told from it`],
  ['contributing/hal-method.md', `the median of the ${2 * hal.floorReach + 1} lines around it`],
  ['contributing/hal-method.md', `A height below ${db(hal.leastExcess, 0)} dB counts as`],
  ['contributing/hal-method.md', `from ${hal.rivalsFrom} to ${hal.rivalsTo} times the fault's are rivals`],
  ['contributing/hal-method.md', `minus ${hal.rivalWeight} times the best rival's. ${index}`],
  ['contributing/hal-method.md', `*stands out* from ${db(hal.evident)} dB on`],
  ['contributing/hal-method.md', `the index is at most ${hal.mostWithoutEvidence}.`],
  ['contributing/hal-method.md', `is looked for within ${percent(hal.speedError)} only`],
  ['contributing/hal-method.md', `Frequencies within ${percent(hal.onShaft)} of a whole multiple`],
  ['contributing/hal-method.md', `HALs within ${percent(hal.same)} of the strongest's frequency`],
  ['contributing/hal-method.md', `(${db(Math.log(hal.shadow), 0)} dB) of the strongest's nearest harmonic`],
  ['contributing/hal-method.md', `less than ${db(-Math.log(hal.shadow) - hal.evident)} dB below that harmonic`],
  ['rating.md', `exceeds by ${db(-Math.log(hal.shadow) - hal.evident, 0)} dB`],
  ...windowFunctions.map((name): [string, string] => ['bands.md', `| ${name} | ${windowOf(name).noiseBandwidth} |\n`]),
  ['bands.md', `late damage (${(0.9 * bpfo).toFixed(2)} to ${(3.1 * bpfi).toFixed(1)}x)`],
  ['bands.md', `gear mesh (${TEETH - 2.5} to ${TEETH + 2.5}x, ${2 * TEETH - 2.5} to ${3 * TEETH + 2.5}x)`],
  ['recordings.md', `The 6205's cage has ${cage} Hz, so at most ${(Number(cage) / 12).toFixed(2)} Hz`],
  ['recordings.md', `BPFI has ${inner} Hz, so at least ${grouped(10 * Math.ceil(1.05 * Number(inner)))} Hz`],
  ['recordings.md', `twice the mesh frequency (${grouped(10 * Math.ceil((2 * TEETH * SHAFT_HZ) / 10))} Hz)`],
  ['recordings.md', `× rpm / 60, here ${grouped(Math.round((3 * TEETH + 2.5) * SHAFT_HZ))} Hz`],
  ['recordings.md', `At most [${grouped(spectrumLines)} lines]`],
  ['admission.md', `| body | ${api.MAX_BODY_BYTES / 1_048_576} MiB |`],
  ['admission.md', `bodies and batches fill ${api.CALL_MEMORY_BYTES / 2_097_152} MiB (`], // half of it is one user's share
  ['admission.md', `| 429 | ${api.MAX_WAITING_CALLS} calls wait for this node`],
  ['admission.md', `| request line and headers | ${kib(api.MAX_HEADER_BYTES)}, ${api.MAX_HEADERS} fields |`],
  ['admission.md', `headers of a request to arrive | ${api.HEADERS_TIMEOUT_MS / 1_000} s |`],
  ['admission.md', `to answer, after the headers | ${api.CALL_DEADLINE_MS / 1_000} s |`],
  ['admission.md', `| threshold | ${kib(limits.DOCUMENT_BYTES)}; ${bands} each of bands, HALs and choices |`],
  ['admission.md', `| \`Idempotency-Key\` | ${limits.IDEMPOTENCY_KEY_LENGTH} visible ASCII characters |`],
  ['admission.md', `| patch | ${kib(limits.PATCH_BYTES)} |`],
  ['admission.md', `| operations of a patch | ${limits.PATCH_OPERATIONS} |`],
  ['admission.md', `| batch | ${grouped(api.MAX_BATCH_NODES)} nodes |`],
  ['admission.md', `| spectrum | ${grouped(spectrumLines)} lines; `],
  ['admission.md', `at most ${Math.floor(api.MAX_BODY_BYTES / spectrumLines - 1)} bytes each`],
  ['admission.md', `| answers of an inspection | ${kib(limits.DOCUMENT_BYTES)} |`],
  ['admission.md', `| \`tags\` | ${kib(limits.TAGS_BYTES)} |`],
  ['admission.md', `| text, label | ${grouped(textLength)} characters; a unit ${limits.UNIT_LENGTH} |`],
  ['configuration.md', `| ${grouped(limits.OUTBOX_EVENTS)}, or ${kib(limits.OUTBOX_BYTES)}; then writes get 503 |`],
  [
    'configuration.md',
    `or the last ${limits.KEYS_KNOWN} if these are more; never more than ${grouped(limits.MOST_KEYS)} |`,
  ],
  ['guarantees.md', `[${grouped(limits.OUTBOX_EVENTS)} events or ${kib(limits.OUTBOX_BYTES)}](`],
  ['guarantees.md', `it is full after about ${Math.floor(limits.OUTBOX_EVENTS / 60)} hours`],
  ['guarantees.md', `more than ${keysPerSecond} keys per second`],
  ['calls.md', `more than ${keysPerSecond} keys per second`],
  [
    'events.md',
    `If 300 points are measured once a minute, entries last ${Math.floor(streamLength / (300 * 60))} hours`,
  ],
  ['capacity.md', `The stream holds a million events by default: [${streamLength / 20_000} minutes of 20,000 points](`],
];
test.each(statements)('%s says: %s', (page, text) => expect(textOf(page)).toContain(text));

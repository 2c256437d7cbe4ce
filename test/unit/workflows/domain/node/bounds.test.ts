import * as E from 'fp-ts/Either';
import { expect, test } from 'vitest';
import {
  CARRIED_SIGNALS_BYTES,
  DOCUMENT_BYTES,
  hardLimits,
  OUTBOX_BYTES,
  GROUP_COMMANDS,
  KNOWN_SENDERS,
  MOST_KEYS,
  SENDER_LENGTH,
  TAGS_BYTES,
  UNIT_LENGTH,
  USER_ID_LENGTH,
} from '../../../../../workflows/domain/limits';
import { continueAsNewArgument, decodeArgument, type Node } from '../../../../../workflows/domain/node/state';
import { recordMeasurement, setExternalAlarm, setThreshold } from '../../../../support/commands';
import { answers, dataPoint, spectrum, thresholdOfBytes } from '../../../../support/measurements';
import { accepted, anId, nodeAfter, nodeId, send, START } from '../../../../support/scenario';

// A character that takes six bytes as JSON, and one that takes three and can be printed.
const wide = '\u0001';
const wideName = '名'.repeat(USER_ID_LENGTH);
const unit = wide.repeat(UNIT_LENGTH);
const tags = { a: 'x'.repeat(TAGS_BYTES - '{"a":""}'.length) };

/** Lines whose places and amplitudes are as long in digits as numbers get. */
const lines = Array.from({ length: hardLimits.spectrumLines }, (_, index) => ({
  x: 1.2345678901234567e100 * 1.01 ** index,
  y: 1.23456e-100,
}));

const withMeasurements = (): Node =>
  nodeAfter([
    recordMeasurement(
      dataPoint(1.2345678901234567e-100, {
        rateOfChange: 1,
        tags,
        dataPoint: { coordinate: { x: 1, y: 1 }, xUnit: unit, yUnit: unit },
      }),
    ),
    recordMeasurement(
      answers(
        Array.from({ length: 127 }, () => 'x'.repeat(1_024)),
        { tags },
      ),
    ),
    recordMeasurement(
      spectrum([], {
        tags,
        spectrum: { speed: 1_500, xUnit: unit, yUnit: unit, windowFunction: 'blackman-harris', coordinates: lines },
      }),
    ),
  ]);

/** `node` with as many keys and senders as are known, their numbers as long as they get in years. */
const withRepeats = (node: Node): Node => ({
  ...node,
  state: {
    ...node.state,
    writes: Array.from({ length: MOST_KEYS }, (_, index) => ({
      key: String(index).padStart(12, '-'),
      request: '-'.repeat(12),
      revision: 99_999,
      at: START,
    })),
    groups: Array.from({ length: KNOWN_SENDERS }, (_, index) => ({
      sender: String(index).padStart(SENDER_LENGTH, '-'),
      sequence: 999_999_999,
      revisions: Array.from({ length: GROUP_COMMANDS }, () => 99_999),
    })),
  },
});

/** `node` with its outbox filled by external alarms, up to `bytes`. */
const filled = (node: Node, bytes: number): Node => {
  const alarm = setExternalAlarm({ status: 4, setBy: anId(7) }, { userId: wideName });
  for (let index = 0; ; index += 1) {
    const next = accepted(send(node, alarm, START + index)).node;
    if (next.outbox.bytes > bytes) return node;
    node = next;
  }
};

test('a node at every bound stays below the 1.6 MiB that it may carry on', () => {
  const bandAlarms = Array.from({ length: hardLimits.bands }, () => ({}));
  const labels = thresholdOfBytes(DOCUMENT_BYTES - JSON.stringify({ bandAlarms }).length);
  const set = setThreshold({ ...labels, bandAlarms }, { userId: wideName });
  const measured = withRepeats(withMeasurements());
  const needed = accepted(send(measured, set, START)).node.outbox.bytes + 1_000;
  const node = accepted(send(filled(measured, OUTBOX_BYTES - needed), set, START)).node;

  expect(node.state.latest.SPECTRUM?.spectrum.lines).toHaveProperty('x');
  expect(node.outbox.bytes).toBeGreaterThan(0.95 * OUTBOX_BYTES);
  const payload = 'x'.repeat(CARRIED_SIGNALS_BYTES - 50);
  const json = JSON.stringify(continueAsNewArgument(node, [{ name: 'recalculate', payload }]));
  expect(Buffer.byteLength(json)).toBeLessThan(1.6 * 1_024 * 1_024);
  expect(Buffer.byteLength(json)).toBeGreaterThan(1.2 * 1_024 * 1_024);
  expect(decodeArgument(nodeId, JSON.parse(json))).toEqual(E.right(node));
});

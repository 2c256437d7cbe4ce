import * as E from 'fp-ts/Either';
import { applyCommand, applyGroup, type Accepted, type AppliedGroup } from '../../workflows/domain/node/apply-group';
import type { CommandName, Rejection } from '../../workflows/domain/node/commands';
import { newNode, type Node } from '../../workflows/domain/node/state';

/** The node of the scenarios, the user who sends their commands, and ids for their measurements and callers. */
export const nodeId = '8f2d1c3a-5b6e-4f70-9a81-b2c3d4e5f607';
export const userId = '0e5a7c9b-1d2f-4a3b-8c4d-5e6f7a8b9c0d';
export const anId = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** The time of a scenario's first command (epoch ms); each further one comes a second later. */
export const START = Date.UTC(2026, 0, 31, 10);

/** A command as it is sent to a node: its name and its payload. */
export type Sent = readonly [CommandName, Readonly<Record<string, unknown>>];
type Members = Readonly<Record<string, unknown>>;

export const setThreshold = (threshold: Members, about: Members = {}): Sent => [
  'setThreshold',
  { userId, threshold, ...about },
];
export const patchThreshold = (operations: ReadonlyArray<unknown>, about: Members = {}): Sent => [
  'patchThreshold',
  { userId, operations, ...about },
];
export const recordMeasurement = (measurement: Members, about: Members = {}): Sent => [
  'recordMeasurement',
  { userId, measurement, ...about },
];
export const recalculate = (about: Members = {}): Sent => ['recalculate', { userId, ...about }];
export const republish = (about: Members = {}): Sent => ['republish', { userId, ...about }];
export const setExternalAlarm = (alarm: Members, about: Members = {}): Sent => [
  'setExternalAlarm',
  { userId, ...alarm, ...about },
];

/** A measurement of each content type; `about` adds to it or replaces what it holds. */
export const dataPoint = (y: number, about: Members = {}): Members => ({
  measurementId: anId(1),
  createdAt: '2026-01-31T09:00:00.000Z',
  contentType: 'DATA_POINT',
  dataPoint: { coordinate: { x: 0, y }, xUnit: 's', yUnit: 'mm/s' },
  ...about,
});
export const answers = (questionAnswers: ReadonlyArray<string>, about: Members = {}): Members => ({
  measurementId: anId(2),
  createdAt: '2026-01-31T09:00:00.000Z',
  contentType: 'QUESTION_ANSWERS',
  questionAnswers,
  ...about,
});
export const spectrum = (coordinates: ReadonlyArray<Members>, about: Members = {}): Members => ({
  measurementId: anId(3),
  createdAt: '2026-01-31T09:00:00.000Z',
  contentType: 'SPECTRUM',
  spectrum: { speed: 1500, xUnit: 'Hz', yUnit: 'mm/s', coordinates },
  ...about,
});

/** Thresholds that the tables share. */
export const overall = {
  thresholdType: 2,
  overall: { unit: 'mm/s', outerHigh: 20, innerHigh: 10, innerLow: -10, outerLow: -20 },
} as const;
export const inspection = {
  thresholdType: 3,
  inspection: {
    choices: [
      { answer: 'fine', instruction: 'go on', status: 2 },
      { answer: 'worn', instruction: 'watch it', status: 3 },
      { answer: 'broken', instruction: 'stop', status: 4 },
    ],
  },
} as const;

/** A threshold of 100 HALs that is just `bytes` long as JSON, in UTF-8. */
export const thresholdOfBytes = (bytes: number): Members => {
  const empty = { halAlarms: Array.from({ length: 100 }, () => ({ label: '' })) };
  const each = Math.floor((bytes - JSON.stringify(empty).length) / 100);
  const more = bytes - JSON.stringify(empty).length - each * 100;
  return {
    halAlarms: empty.halAlarms.map((_, index) => {
      const length = each + (index < more ? 1 : 0);
      return { label: 'é'.repeat(Math.floor(length / 2)) + 'x'.repeat(length % 2) };
    }),
  };
};

/** What `node` does with a command that comes at `now`. */
export const send = (node: Node, [name, payload]: Sent, now: number): E.Either<Rejection, Accepted> =>
  applyCommand(node, name, payload, now);

/** What `node` does with `payload` as an update `applyCommands`, which it must not refuse as a whole. */
export const sendGroup = (node: Node, payload: unknown, now: number = START): AppliedGroup => {
  const applied = applyGroup(node, payload, now);
  if (E.isLeft(applied)) throw new Error(`refused: ${JSON.stringify(applied.left)}`);
  return applied.right;
};

/** The node after `commands`. One that is refused is a fault of the scenario. */
export const nodeAfter = (commands: ReadonlyArray<Sent>, node: Node = newNode(nodeId)): Node =>
  commands.reduce((before, command, index) => accepted(send(before, command, START + index * 1_000)).node, node);

/** What came of a command that must not be refused. */
export const accepted = (answer: E.Either<Rejection, Accepted>): Accepted => {
  if (E.isLeft(answer)) throw new Error(`refused: ${JSON.stringify(answer.left)}`);
  return answer.right;
};

/** Types and contents of the events that wait in `node`, oldest first. */
export const waiting = ({ outbox }: Node): ReadonlyArray<readonly [string, Members]> =>
  outbox.waiting.map(({ type, data }) => [type, data]);

import { expect, test } from 'vitest';
import { foldRun } from '../../../cli/temporal';
import { carriedOn } from '../../../workflows/domain/node/state';
import { recordMeasurement, setExternalAlarm, setThreshold } from '../../support/commands';
import { dataPoint, overall } from '../../support/measurements';
import { nodeAfter, nodeId, START, type Sent } from '../../support/scenario';

const commands = [setThreshold(overall), recordMeasurement(dataPoint(25)), setExternalAlarm({ status: 3 })];
const steps = (sent: ReadonlyArray<Sent>, from = 0) =>
  sent.map(([name, argument], at) => ({ name, argument, at: START + (from + at) * 1_000 }));
const known = ({ latest, parts, threshold, updatedAt, revision }: ReturnType<typeof foldRun>) => ({
  latest,
  parts,
  threshold,
  updatedAt,
  revision,
});

test('a node is what its run began with, and each command since, whether one by one or in groups', () => {
  const expected = known(nodeAfter(commands).state);
  expect(known(foldRun(nodeId, steps(commands)))).toEqual(expected);
  const group = {
    name: 'applyCommands',
    at: START + 1_000,
    argument: { commands: commands.slice(1, 2).map(([name, sent]) => ({ name, ...sent })) },
  };
  expect(known(foldRun(nodeId, [...steps(commands.slice(0, 1)), group, ...steps(commands.slice(2), 2)]))).toEqual(
    expected,
  );
  const carried = carriedOn(nodeAfter(commands.slice(0, 2)));
  expect(
    known(foldRun(nodeId, [{ name: 'begin', at: START, argument: carried }, ...steps(commands.slice(2), 2)])),
  ).toEqual(expected);
});

test('what is no command, does not decode, or was refused, changes nothing', () => {
  const odd = [
    { name: 'begin', at: START, argument: { state: 7, outbox: {} } },
    { name: 'publishNow', at: START, argument: undefined },
    { name: 'applyCommands', at: START, argument: { commands: 'none' } },
    { name: 'setExternalAlarm', at: START, argument: { status: 9 } },
  ];
  expect(known(foldRun(nodeId, [...steps(commands), ...odd]))).toEqual(known(nodeAfter(commands).state));
});

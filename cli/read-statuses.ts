import type * as E from 'fp-ts/Either';
import type { AlarmStatus } from '../client';
import type { Api } from './api-of';
import { inParallel } from '../process/in-parallel';
import type { CommandFailure } from './command-failure';

type Answers = ReadonlyArray<readonly [nodeId: string, E.Either<CommandFailure, AlarmStatus>]>;

const AT_ONCE = 16;

/** The status of each of `nodeIds`, in their order. */
export const readStatuses = async (api: Api, nodeIds: ReadonlyArray<string>): Promise<Answers> => {
  const answers = new Map<number, Answers[number]>();
  await inParallel(nodeIds.entries(), AT_ONCE, async ([index, nodeId]) => {
    answers.set(index, [nodeId, await api((client) => client.getAlarmStatus(nodeId))]);
  });
  return nodeIds.flatMap((_, index) =>
    [answers.get(index)].flatMap((answer) => (answer === undefined ? [] : [answer])),
  );
};

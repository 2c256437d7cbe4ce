import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Command } from './command';
import { patchThreshold } from './patch-threshold';
import { recalculate } from './recalculate';
import { recordMeasurement } from './record-measurement';
import { invalidCommand, type Refusal } from './rejections';
import { republish } from './republish';
import { setExternalAlarm } from './set-external-alarm';
import { setThreshold } from './set-threshold';

/** What a node takes, by the name of its update and its signal. */
export const commands = { setThreshold, patchThreshold, recordMeasurement, recalculate, setExternalAlarm, republish };

export type CommandName = keyof typeof commands;

export const isCommandName = (name: unknown): name is CommandName =>
  typeof name === 'string' && Object.hasOwn(commands, name);

export const commandNames: ReadonlyArray<CommandName> = Object.keys(commands).filter(isCommandName);

/** The command `name` of `payload` at the time `now` (epoch ms) for the node `nodeId`, or every fault found. */
export const decodeCommand = (
  nodeId: string,
  name: CommandName,
  payload: unknown,
  now: number,
): E.Either<Refusal, Command> => pipe(commands[name].decode(nodeId, name, payload, now), E.mapLeft(invalidCommand));

import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as T from 'fp-ts/Task';
import { Counter, type Registry } from 'prom-client';
import type { Refusal } from '../../workflows/domain/commands/rejections';
import type { Outage, PointAlarms, Sent } from '../ports';

/** `nodes` with a counter of commands by name and outcome, never by node. */
export const countCommands = (nodes: PointAlarms, registry: Registry): PointAlarms => {
  const commands = new Counter({
    name: 'point_alarm_commands_total',
    help: 'Commands to nodes, by name and outcome: Applied, Unchanged, or the kind of the refusal or outage.',
    labelNames: ['command', 'outcome'],
    registers: [registry],
  });
  return {
    ...nodes,
    send: (nodeId, command, payload, by) =>
      pipe(
        nodes.send(nodeId, command, payload, by),
        T.map((sent) => {
          commands.inc({ command, outcome: outcomeOf(sent) });
          return sent;
        }),
      ),
  };
};

const outcomeOf = (sent: E.Either<Refusal | Outage, Sent>): string => {
  if (E.isLeft(sent)) return sent.left._tag;
  return sent.right.unchanged === true ? 'Unchanged' : 'Applied';
};

import type { WorkflowClient, WithStartWorkflowOperation } from '@temporalio/client';
import { after, type Host } from '../../engine/host';
import type { NoteOf, Weather } from '../../world/weather';
import { errorOf, faults, type Fault } from './errors';
import type { Reply, TemporalServer } from './server';

export interface ClientParts {
  readonly host: Host;
  readonly server: Host;
  readonly temporal: TemporalServer;
  readonly weather: Weather;
  /** Whether host and server reach each other now; a link that is cut drops what it carries. */
  readonly isLinked: () => boolean;
  /** Whether the server runs. */
  readonly isUp: () => boolean;
  readonly note: NoteOf;
}

type Definition = { readonly name: string };
interface UpdateOptions {
  readonly args?: ReadonlyArray<unknown>;
  readonly updateId?: string;
  readonly startWorkflowOperation?: WithStartWorkflowOperation<never>;
}

/**
 * The part of the SDK's `WorkflowClient` that the API uses, over the modelled server.
 *
 * Source: @temporalio/client 1.24.0, lib/workflow-client.js; @grpc/grpc-js for how calls end without an answer.
 */
export const createClient = (parts: ClientParts): ((until: number) => WorkflowClient) => {
  const { host, server, temporal, weather, isLinked, isUp, note } = parts;
  const { scheduler } = host;
  const ids = host.random;

  /** One request: on its way there, at the server, on its way back; any of these may fail. */
  const request = (workflowId: string, until: number, what: string, send: (reply: Reply) => void): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const isOver = { value: false };
      const end = (fault: Fault): void => {
        if (isOver.value) return;
        isOver.value = true;
        if (fault.type === 'status') note(host.name, `${what}: ${fault.details}`);
        reject(errorOf(fault, workflowId));
      };
      const fail = (ms: number, fault: Fault): void => after(host, ms, () => end(fault));
      fail(Math.max(1, until - scheduler.now()), faults.late);
      note(host.name, what, 'temporal');
      if (!isUp()) {
        fail(weather.latency(), faults.noConnection);
        return;
      }
      // A link that is cut takes the request and gives nothing back: the caller's deadline ends it.
      if (!isLinked()) return;
      if (weather.shouldInject('temporal: request lost')) {
        fail(weather.latency(), faults.dropped);
        return;
      }
      // A connection that is lost may have brought the request into the server, where it is tried for a while.
      const isGivenUp = weather.shouldInject('temporal: request late, and given up');
      if (isGivenUp) fail(weather.latency(), faults.dropped);
      scheduler.at(
        scheduler.now() + (isGivenUp ? 5_000 * weather.draw() : weather.latency()),
        () => {
          if (!isUp()) fail(weather.latency(), faults.dropped);
          if (!isUp() || !isLinked()) return;
          send((answer) => {
            if (isOver.value || !isLinked()) return;
            if (weather.shouldInject('temporal: answer lost')) {
              fail(weather.latency(), faults.dropped);
              return;
            }
            const late = weather.shouldInject('temporal: answer late') ? 15_000 * weather.draw() : 0;
            after(host, weather.latency() + late, () => {
              // The end of a server ends its connections, with what is on its way in them.
              if (!isUp()) {
                end(faults.dropped);
                return;
              }
              if ('fault' in answer) {
                end(answer.fault);
                return;
              }
              if (isOver.value) return;
              isOver.value = true;
              note('temporal', `${what}: done`, host.name);
              resolve(answer.value === '' ? undefined : JSON.parse(answer.value));
            });
          });
        },
        server,
      );
    });

  const update = (
    workflowId: string,
    until: number,
    { name }: Definition,
    {
      args = [],
      updateId = `update-${host.name}-${Math.floor(ids.draw() * 1e12)}`,
      startWorkflowOperation,
    }: UpdateOptions,
  ): Promise<unknown> => {
    const input = JSON.stringify(args[0] ?? null);
    const options = startWorkflowOperation?.options as { readonly args?: ReadonlyArray<unknown> } | undefined;
    const argument = options?.args?.[0];
    const start =
      options === undefined ? undefined : { ...(argument !== undefined && { argument: JSON.stringify(argument) }) };
    return request(workflowId, until, name, (reply) =>
      temporal.update(workflowId, { id: updateId, name, input }, start, reply),
    );
  };

  return (until) =>
    ({
      getHandle: (workflowId: string) => ({
        executeUpdate: (definition: Definition | string, options: UpdateOptions = {}) =>
          update(workflowId, until, typeof definition === 'string' ? { name: definition } : definition, options),
        query: (definition: Definition | string) => {
          const name = typeof definition === 'string' ? definition : definition.name;
          return request(workflowId, until, name, (reply) => temporal.query(workflowId, name, reply));
        },
        signal: (name: string, payload: unknown) =>
          request(workflowId, until, name, (reply) =>
            temporal.signal(workflowId, name, JSON.stringify(payload), reply),
          ),
        getUpdateHandle: (updateId: string) => ({
          result: () => request(workflowId, until, 'poll', (reply) => temporal.poll(workflowId, updateId, reply)),
        }),
      }),
      executeUpdateWithStart: (
        definition: Definition,
        options: UpdateOptions & {
          readonly startWorkflowOperation: { readonly options: { readonly workflowId: string } };
        },
      ) => update(options.startWorkflowOperation.options.workflowId, until, definition, options),
    }) as unknown as WorkflowClient;
};

import type { Payload } from '@temporalio/common';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import type { temporal } from '@temporalio/proto';
import * as E from 'fp-ts/Either';
import { isRecord } from '../workflows/domain/codecs';
import { applyCommand, applyGroup } from '../workflows/domain/node/apply-group';
import { isCommandName } from '../workflows/domain/node/commands';
import { afterPublication } from '../workflows/domain/node/publication';
import { decodeArgument, newNode, type Node, type State } from '../workflows/domain/node/state';
import { applyCommandsUpdate, unreadableSignal } from '../workflows/messages';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
type Payloads = ReadonlyArray<Payload>;

/** What a node took in a run: its argument, updates and signals by their names, and the ends of its publications. */
interface Taken<Argument> {
  readonly of: 'argument' | 'update' | 'signal' | 'publication';
  readonly name: string;
  /** The time of the workflow task (epoch ms). */
  readonly at: number;
  readonly argument: Argument;
}
export type RunStep = Taken<unknown>;

/**
 * What the node took in the run of `events`, in the order in which it took it: of each workflow task the signals that came before
 * it, the updates that it accepted, and then the publications that had ended. Signals that nobody could read are left out.
 */
export const stepsOf = (events: ReadonlyArray<HistoryEvent>): ReadonlyArray<Taken<Payloads>> => {
  const steps: (Taken<Payloads> & { readonly signal?: string })[] = [];
  const beganAt = new Map<string, number>();
  const refused = new Set<string>();
  /** Updates of a run that was reset, which stand apart from what the node accepted. */
  const admitted = new Map<string, Come>();
  let [signals, ended, ending]: [Come[], Payloads[], Payloads[]] = [[], [], []];
  let [now, count] = [0, 0];
  const take = (of: RunStep['of'], name: string, argument: Payloads, signal?: string): void => {
    steps.push({ of, name, at: now, argument, ...(signal !== undefined && { signal }) });
  };
  const endTask = (): void => {
    for (const result of ending) take('publication', '', result);
    ending = [];
  };
  for (const event of events) {
    const come = comeIn(event);
    switch (come.of) {
      case 'start':
        now = come.at;
        take('argument', '', come.payloads);
        break;
      case 'signal':
        signals.push(come);
        break;
      case 'result':
        ended.push(come.payloads);
        break;
      case 'task began':
        beganAt.set(come.id, come.at);
        break;
      case 'task':
        endTask();
        now = Math.max(now, beganAt.get(come.id) ?? 0); // the time of a run never goes back
        for (const { name, payloads } of signals) take('signal', name, payloads, unreadableSignal((count += 1)));
        [signals, ended, ending] = [[], [], ended];
        break;
      case 'admitted':
        admitted.set(come.id, come);
        break;
      case 'update': {
        const { name, payloads } = admitted.get(come.id) ?? come;
        take('update', name, payloads);
        break;
      }
      case 'marker':
        refused.add(come.id);
        break;
      case 'other':
    }
  }
  endTask();
  return steps.filter(({ signal }) => signal === undefined || !refused.has(signal));
};

interface Come {
  readonly of: 'start' | 'signal' | 'admitted' | 'update' | 'result' | 'task began' | 'task' | 'marker' | 'other';
  /** Of the task, the update or the marker. */
  readonly id: string;
  readonly name: string;
  readonly at: number;
  readonly payloads: Payloads;
}

const comeIn = (event: HistoryEvent): Come => {
  const of = (kind: Come['of'], id = '', name: string | null = '', input?: Input): Come => ({
    ...{ of: kind, id, name: name ?? '', at: optionalTsToMs(event.eventTime) ?? 0 },
    payloads: input?.payloads ?? [],
  });
  const { workflowExecutionStartedEventAttributes: started, workflowExecutionSignaledEventAttributes: signalled } =
    event;
  const { workflowExecutionUpdateAdmittedEventAttributes: admitted } = event;
  const { workflowExecutionUpdateAcceptedEventAttributes: accepted } = event;
  const { activityTaskCompletedEventAttributes: published, workflowTaskCompletedEventAttributes: task } = event;
  const { markerRecordedEventAttributes: marker } = event;
  if (started != null) return of('start', '', '', started.input);
  if (signalled != null) return of('signal', '', signalled.signalName, signalled.input);
  if (admitted?.request != null) {
    const { meta, input } = admitted.request;
    return of('admitted', meta?.updateId ?? '', input?.name, input?.args);
  }
  if (accepted != null) {
    const input = accepted.acceptedRequest?.input;
    return of('update', accepted.protocolInstanceId ?? '', input?.name, input?.args);
  }
  if (published != null) return of('result', '', '', published.result);
  if (event.workflowTaskStartedEventAttributes != null) return of('task began', String(event.eventId));
  if (task != null) return of('task', String(task.startedEventId));
  return marker == null ? of('other') : of('marker', patchIn(marker.details));
};

type Input = { readonly payloads?: Payload[] | null } | null | undefined;

/** The name under which the node asked for a marker; the SDK's core writes it as JSON, never encrypted. */
const patchIn = (details: temporal.api.history.v1.IMarkerRecordedEventAttributes['details']): string => {
  const data = Object.values(details ?? {})[0]?.payloads?.[0]?.data;
  const marker = E.tryCatch((): unknown => JSON.parse(Buffer.from(data ?? []).toString()), String);
  return E.isRight(marker) && isRecord(marker.right) ? String(marker.right['id']) : '';
};

/**
 * The state of a node after the steps of its run, by the domain's own rules. What is not a command of the node, and what it
 * refused, changes nothing.
 */
export const foldRun = (nodeId: string, steps: ReadonlyArray<RunStep>): State =>
  steps.reduce((node, step) => after(nodeId, node, step), newNode(nodeId)).state;

const after = (nodeId: string, node: Node, { of, name, at, argument }: RunStep): Node => {
  if (of === 'argument') return E.getOrElse(() => node)(decodeArgument(nodeId, argument));
  if (of === 'publication') return typeof argument === 'string' ? afterPublication(node, argument) : node;
  const isGroup = of === 'update' && name === applyCommandsUpdate.name;
  if (!isGroup && !isCommandName(name)) return node;
  const applied = isGroup ? applyGroup(node, argument, at) : applyCommand(node, name, argument, at);
  return E.isRight(applied) ? applied.right.node : node;
};

import type { Payload } from '@temporalio/common';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import type { temporal } from '@temporalio/proto';
import * as E from 'fp-ts/Either';
import { isRecord, type Reasons } from '../workflows/domain/codecs';
import { applyCommand, applyGroup } from '../workflows/domain/node/apply-group';
import { isCommandName } from '../workflows/domain/node/commands';
import { afterPublication } from '../workflows/domain/node/publication';
import { decodeArgument, signalsIn, type Node, type State, type WaitingSignal } from '../workflows/domain/node/state';
import { applyCommandsUpdate, unreadableSignal } from '../workflows/messages';
import { newSignalQueue, newWaitingSignals, ROOM_WITHIN_MS, TURN_AFTER_MS } from '../workflows/signal-queue';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
type Payloads = ReadonlyArray<Payload>;

/**
 * One input of a node in a run of its workflow: the run's argument, an update, a signal, or the end of a timer or activity.
 * Signals may wait, because a workflow task applies only as many as it has time for (`workflows/signal-queue.ts`).
 */
interface NodeInput<Argument> {
  readonly of: 'argument' | 'update' | 'signal' | Ended;
  readonly name: string;
  /** The time of the workflow task (epoch ms). */
  readonly at: number;
  /** The number of the workflow task within the run. */
  readonly task: number;
  readonly argument: Argument;
}
/**
 * What ended. 'turn': the timer after which the node applies waiting signals. 'giving up': the timer after which it refuses
 * signals whose events do not fit into its full outbox. 'publication': the activity that appends events to the stream.
 */
type Ended = 'turn' | 'giving up' | 'publication';
export type RunStep = NodeInput<unknown>;

/**
 * The inputs of a node in the run with the history `events`, in the order in which the node handled them. Each workflow task
 * handles the signals that came before it, then the updates that it accepts, then fired timers, and then completed
 * publications. Signals whose payload the workers could not read are left out.
 */
export const stepsOf = (events: ReadonlyArray<HistoryEvent>): ReadonlyArray<NodeInput<Payloads>> => {
  const steps: (NodeInput<Payloads> & { readonly signal?: string })[] = [];
  const beganAt = new Map<string, number>();
  const refused = new Set<string>();
  /** Updates that a reset of the workflow carried into this run, by id. The events that accept them later lack the payload. */
  const admitted = new Map<string, ReadEvent>();
  const timers = new Map<string, Ended | undefined>();
  type Ends = readonly (readonly [Ended, Payloads])[];
  let [signals, ended, ending]: [ReadEvent[], Ends, Ends] = [[], [], []];
  let [now, count, task] = [0, 0, 0];
  const addStep = (of: RunStep['of'], name: string, argument: Payloads, signal?: string): void => {
    steps.push({ of, name, at: now, task, argument, ...(signal !== undefined && { signal }) });
  };
  const endTask = (): void => {
    for (const [of, result] of [...ending].sort(timersFirst)) addStep(of, '', result);
    ending = [];
  };
  for (const event of events) {
    const read = readEvent(event);
    switch (read.of) {
      case 'start':
        now = read.at;
        addStep('argument', '', read.payloads);
        break;
      case 'signal':
        signals.push(read);
        break;
      case 'result':
        ended = [...ended, ['publication', read.payloads]];
        break;
      case 'timer':
        timers.set(read.id, waitsOf.get(read.at));
        break;
      case 'timer fired': {
        const of = timers.get(read.id);
        if (of !== undefined) ended = [...ended, [of, []]];
        break;
      }
      case 'task began':
        beganAt.set(read.id, read.at);
        break;
      case 'task':
        endTask();
        task += 1;
        now = Math.max(now, beganAt.get(read.id) ?? 0); // the time within a run never goes back
        for (const { name, payloads } of signals) addStep('signal', name, payloads, unreadableSignal((count += 1)));
        [signals, ended, ending] = [[], [], ended];
        break;
      case 'admitted':
        admitted.set(read.id, read);
        break;
      case 'update': {
        const { name, payloads } = admitted.get(read.id) ?? read;
        addStep('update', name, payloads);
        break;
      }
      case 'marker':
        refused.add(read.id);
        break;
      case 'other':
    }
  }
  endTask();
  return steps.filter(({ signal }) => signal === undefined || !refused.has(signal));
};

/** Sorts timers before publications: if one task brings both, the node handles a timer before the result of a publication. */
const timersFirst = ([one]: readonly [Ended, Payloads], [other]: readonly [Ended, Payloads]): number =>
  Number(one === 'publication') - Number(other === 'publication');

/** What a timer is for, by its duration (ms), because the history does not state the purpose of a timer. */
const waitsOf: ReadonlyMap<number, Ended> = new Map([
  [TURN_AFTER_MS, 'turn'],
  [ROOM_WITHIN_MS, 'giving up'],
]);

interface ReadEvent {
  readonly of:
    | 'start'
    | 'signal'
    | 'admitted'
    | 'update'
    | 'result'
    | 'timer'
    | 'timer fired'
    | 'task began'
    | 'task'
    | 'marker'
    | 'other';
  /** Id of the update, the timer or the marker's patch. For a workflow task, the id of the event that began it. */
  readonly id: string;
  readonly name: string;
  /** The time of the event (epoch ms); for a timer that starts, its duration (ms). */
  readonly at: number;
  readonly payloads: Payloads;
}

const readEvent = (event: HistoryEvent): ReadEvent => {
  const of = (kind: ReadEvent['of'], id = '', name: string | null = '', input?: Input): ReadEvent => ({
    of: kind,
    id,
    name: name ?? '',
    at: optionalTsToMs(event.eventTime) ?? 0,
    payloads: input?.payloads ?? [],
  });
  const { workflowExecutionStartedEventAttributes: started, workflowExecutionSignaledEventAttributes: signalled } =
    event;
  const { workflowExecutionUpdateAdmittedEventAttributes: admitted } = event;
  const { workflowExecutionUpdateAcceptedEventAttributes: accepted } = event;
  const { activityTaskCompletedEventAttributes: published, workflowTaskCompletedEventAttributes: task } = event;
  const { markerRecordedEventAttributes: marker, timerStartedEventAttributes: timer } = event;
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
  if (timer != null) return { ...of('timer', timer.timerId ?? ''), at: optionalTsToMs(timer.startToFireTimeout) ?? 0 };
  if (event.timerFiredEventAttributes != null) return of('timer fired', event.timerFiredEventAttributes.timerId ?? '');
  if (published != null) return of('result', '', '', published.result);
  if (event.workflowTaskStartedEventAttributes != null) return of('task began', String(event.eventId));
  if (task != null) return of('task', String(task.startedEventId));
  return marker == null ? of('other') : of('marker', patchIn(marker.details));
};

type Input = { readonly payloads?: Payload[] | null } | null | undefined;

/** The id of the patch that a marker records. The core of Temporal's SDK writes it as JSON, which is never encrypted. */
const patchIn = (details: temporal.api.history.v1.IMarkerRecordedEventAttributes['details']): string => {
  const data = Object.values(details ?? {})[0]?.payloads?.[0]?.data;
  const marker = E.tryCatch((): unknown => JSON.parse(Buffer.from(data ?? []).toString()), String);
  return E.isRight(marker) && isRecord(marker.right) ? String(marker.right['id']) : '';
};

/**
 * The state of a node after the steps of its run, computed by the code that the workflow itself uses. Unknown and refused
 * commands change nothing. Left: why the argument of the run does not decode, for example because a newer release wrote it.
 */
export const foldRun = (nodeId: string, steps: ReadonlyArray<RunStep>): E.Either<Reasons, State> => {
  const argument = steps.find(({ of }) => of === 'argument')?.argument;
  return E.map((begun: Node) => stateAfter(begun, signalsIn(argument), steps))(decodeArgument(nodeId, argument));
};

const stateAfter = (begun: Node, signals: ReadonlyArray<WaitingSignal>, steps: ReadonlyArray<RunStep>): State => {
  let node = begun;
  const setNode = (applied: { readonly node: Node }): void => {
    node = applied.node;
  };
  const queue = newSignalQueue({
    node: () => node,
    waiting: newWaitingSignals(signals),
    finishSignal: (_signal, applied) => setNode(applied),
    recordUnchanged: () => undefined,
  });
  for (const { of, name, at, task, argument } of steps) {
    if (of === 'turn') queue.applyTurn(at);
    else if (of === 'giving up') {
      queue.refuseUntilPublished();
      queue.applyTurn(at);
    } else if (of === 'publication') {
      if (typeof argument !== 'string') continue;
      node = afterPublication(node, argument);
      queue.onPublished();
    } else if (of === 'signal') {
      if (isCommandName(name)) queue.submit({ name, payload: argument }, task, at);
    } else if (of === 'update' && name === applyCommandsUpdate.name)
      setNodeIfRight(applyGroup(node, argument, at), setNode);
    else if (of === 'update' && isCommandName(name)) setNodeIfRight(applyCommand(node, name, argument, at), setNode);
  }
  return node.state;
};

const setNodeIfRight = (
  applied: E.Either<unknown, { readonly node: Node }>,
  setNode: (of: { readonly node: Node }) => void,
) => {
  if (E.isRight(applied)) setNode(applied.right);
};

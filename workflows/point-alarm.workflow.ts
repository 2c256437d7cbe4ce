import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as wf from '@temporalio/workflow';
import { fractionOf } from './domain/digest';
import { applyCommand } from './domain/node/apply-commands';
import { applyGroup, type AppliedGroup } from './domain/node/apply-group';
import { carriedOn } from './domain/node/carried';
import { commandNames, type CommandName } from './domain/commands/command';
import { isCommandName } from './domain/commands/decode-command';
import { describeNode } from './domain/node/describe-node';
import type { Accepted } from './domain/node/node';
import { dequeue } from './domain/node/outbox';
import { alarmStatusView, revisedThreshold, snapshotView } from './domain/node/views';
import { worstOf } from './domain/alarm/parts';
import type { Entropy } from './domain/ulid';
import { begin } from './begin';
import { descriptions } from './descriptions';
import { nothingApplied, nothingWaits, orFail, renewing } from './failures';
import { followRun } from './follow-run';
import { applyCommandsUpdate, publishNowUpdate, queries, signals, updates, type Receipt } from './messages';
import { neverEnding } from './never-ending';
import { onceAfter } from './once-after';
import { publishWaiting } from './publish-waiting';
import { reportCommit, reportDefect, reportRefusal, reportUnknown } from './reports';
import { keepStatusAttribute } from './status-attribute';
import { mustBeReadable, refuseUnreadable } from './unreadable';

/**
 * So long at least, and less than twice as long, events are left to the caller who got them, where nobody asks the node to
 * publish them. By its id each node has a time of its own: those that were taken into use together must not all wake at once.
 */
const LEFT_TO_CALLERS_MS = 600_000;
const leftToCallers = (nodeId: string): number => Math.round(LEFT_TO_CALLERS_MS * (1 + fractionOf(nodeId)));

/** The random part of ids. Validators are not replayed, so a draw there would shift all that are drawn later. */
const draw = (): Entropy => [Math.random(), Math.random()];
const noDraw = (): Entropy => [0, 0];

/**
 * One node: it holds a threshold, the latest measurements, the alarm parts and the unpublished events, and takes
 * commands one at a time. It runs for ever, in runs of about a hundred updates, shorter ones while there are signals.
 *
 * `argument` is what the run before left, or how the API starts a node; without it the node starts empty.
 */
export async function pointAlarm(argument?: unknown): Promise<void> {
  const begun = begin(argument);
  let { node } = begun;
  const { nodeId } = node.state;
  const run = followRun();
  /** The node publishes by its activity what waits up to here; what is later is left to callers. */
  let owed = node.state.sequenceId;

  const publishesItself = (): void => {
    owed = node.state.sequenceId;
  };
  const owesEvents = (): boolean => {
    const [oldest] = node.outbox.waiting;
    return oldest !== undefined && oldest.sequenceId <= owed;
  };
  /** A caller may die before it publishes, and the note by which others know of it may be lost with it. */
  const leaveToCaller = onceAfter(leftToCallers(nodeId), publishesItself);

  const commit = (accepted: Accepted, commands: number, isHandedOver = false): void => {
    const before = node;
    node = accepted.node;
    run.happens({ _tag: 'Committed', commands });
    if (isHandedOver) leaveToCaller();
    else publishesItself();
    reportCommit(before, accepted);
    if (begun.keepsStatusAttribute) keepStatusAttribute(worstOf(before.state.parts), worstOf(node.state.parts));
    wf.setCurrentDetails(describeNode(node, owed));
  };
  const receipt = (): Receipt => ({ revision: node.state.revision, status: worstOf(node.state.parts) });

  const consider =
    (name: CommandName, payload: unknown) =>
    (entropy: () => Entropy): ReturnType<typeof applyCommand> =>
      applyCommand(node, name, payload, Date.now(), entropy);
  const signalled = (name: string, payload: unknown): void => {
    try {
      if (!isCommandName(name)) {
        reportUnknown(name);
        return;
      }
      pipe(
        consider(name, payload)(draw),
        E.match(reportRefusal(name), (accepted) => {
          commit(accepted, 1);
        }),
      );
    } catch (defect) {
      reportDefect(name, defect);
    } finally {
      run.happens({ _tag: 'Signalled' });
    }
  };
  const considerGroup = (payload: unknown, entropy: () => Entropy): AppliedGroup =>
    orFail(() => applyGroup(node, payload, Date.now(), entropy));

  // Handlers are synchronous: commands cannot interleave, and what a validator saw is what its handler finds, unless
  // another command came between; then the handler refuses. What came before the run began is delivered as soon as there
  // is a handler for it, so all that they need stands above; and in the order of arrival only by the one for any name.
  wf.setDefaultSignalHandler(signalled);
  for (const name of commandNames) {
    wf.setHandler(
      updates[name],
      (payload) => {
        mustBeReadable(payload);
        commit(
          orFail(() => consider(name, payload)(draw)),
          1,
        );
        return receipt();
      },
      {
        validator: (payload) => {
          refuseUnreadable(payload);
          orFail(() => consider(name, payload)(noDraw));
        },
        description: descriptions[name],
      },
    );
    wf.setHandler(
      signals[name],
      (payload) => {
        signalled(name, payload);
      },
      { description: descriptions[name] },
    );
  }
  wf.setHandler(
    applyCommandsUpdate,
    (payload) => {
      mustBeReadable(payload);
      const applied = considerGroup(payload, draw);
      commit(applied, applied.answer.outcomes.length, applied.answer.unconfirmed !== undefined);
      return applied.answer;
    },
    {
      validator: (payload) => {
        refuseUnreadable(payload);
        if (run.sendsBack()) throw renewing();
        const { events, answer } = considerGroup(payload, noDraw);
        if (events.length === 0) throw nothingApplied(answer);
      },
      description: descriptions.applyCommands,
    },
  );
  wf.setHandler(
    publishNowUpdate,
    () => {
      publishesItself();
      return { waiting: node.outbox.waiting.length };
    },
    {
      validator: () => {
        if (node.outbox.waiting.length === 0) throw nothingWaits();
      },
      description: descriptions.publishNow,
    },
  );
  wf.setHandler(queries.threshold, () => revisedThreshold(node.state), { description: descriptions.threshold });
  wf.setHandler(queries.alarmStatus, () => alarmStatusView(node.state), { description: descriptions.alarmStatus });
  wf.setHandler(queries.snapshot, () => snapshotView(node.state), { description: descriptions.snapshot });
  wf.setHandler(queries.pendingEvents, () => node.outbox.waiting, { description: descriptions.pendingEvents });
  wf.setCurrentDetails(describeNode(node, owed));

  wf.CancellationScope.current().cancelRequested.catch(() => {
    wf.log.warn('a cancel request does not end a node; terminate it to forget it', { nodeId });
  });
  await neverEnding(async () => {
    for (;;) {
      await wf.condition(() => run.continues() || owesEvents());
      if (run.continues()) break;
      const beganAt = Date.now();
      const published = await publishWaiting(nodeId, node.outbox.waiting, run.breaksOff);
      run.happens({ _tag: 'Published', beganAt, draw: Math.random() });
      // Read only now: handlers may have grown the outbox while the publication ran.
      if (published !== undefined) node = { ...node, outbox: dequeue(node.outbox, published) };
      wf.setCurrentDetails(describeNode(node, owed));
    }
    return wf.continueAsNew<typeof pointAlarm>(carriedOn({ ...begun, node }));
  });
}

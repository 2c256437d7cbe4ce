import { createHash } from 'node:crypto';
import type { PublishActivities } from '../../../activities/publish-events';
import type { Publisher } from '../../../stream/append';
import { globalsOf, type Host, type Sized, type Slot } from '../engine/host';
import type { ActivityContext } from '../models/temporal/worker';
import { workflowGlobals, workflowModule } from '../models/temporal/workflow-module';
import type { Bounds } from '../world/plan';
import { codeOf, type Code, type Patch } from './load-code';

/** The real code, loaded once for each place where a process runs. */
export interface Graphs {
  readonly apis: ReadonlyArray<Place>;
  readonly workers: ReadonlyArray<Place>;
  /** The workflow's main function. */
  readonly pointAlarm: (argument: unknown) => Promise<void>;
}

/** A place of a process: its code, and the process of now. */
export interface Place {
  readonly slot: Slot;
  readonly code: Code;
  /** The collections that the code makes from now on are kept in `into`. */
  readonly counting: (into: Sized[] | undefined) => void;
}

/** The bound of the outbox where it is small. */
export const SMALL_OUTBOX_EVENTS = 6;

/**
 * The constants that bounds replace, by file: a few calls meet those of outbox and relay; a run continues as new after a few
 * commands, and breaks off publications soon after.
 */
const constantsOf: Readonly<Record<Bounds, Readonly<Record<string, Readonly<Record<string, number>>>>>> = {
  shipped: {},
  'small outbox': { 'workflows/domain/limits.ts': { OUTBOX_EVENTS: SMALL_OUTBOX_EVENTS, RELAYED_EVENTS: 4 } },
  'small runs': {
    'workflows/domain/node/run-policy.ts': { RUN_COMMANDS: 3, MOST_RUN_COMMANDS: 4.5, RUN_COMMANDS_WITH_SIGNALS: 2 },
  },
};

const nobody = { isDead: true } as Host;

/** Loads the code with `patches`; a place for each process. */
export const loadGraphs = (patches: ReadonlyArray<Patch>, bounds: Bounds): Graphs => {
  const constants = constantsOf[bounds];
  const place = (): Place => {
    const slot: Slot = { host: nobody };
    let into: Sized[] | undefined;
    const globals = globalsOf(slot, (made) => into?.push(made));
    const crypto = { createHash, randomBytes: (length: number) => bytesOf(slot, length) };
    const code = codeOf({ globals, modules: { 'node:crypto': crypto }, patches, constants });
    return {
      slot,
      code,
      counting: (counted) => {
        into = counted;
      },
    };
  };
  const workflows = codeOf({
    globals: workflowGlobals(),
    modules: { '@temporalio/workflow': workflowModule },
    patches,
    constants,
  });
  return {
    apis: [place(), place(), place()],
    workers: [place(), place()],
    pointAlarm: workflows.load<{ readonly pointAlarm: Graphs['pointAlarm'] }>('workflows/point-alarm.workflow.ts')
      .pointAlarm,
  };
};

const bytesOf = ({ host }: Slot, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => Math.floor(host.random.draw() * 256)));

/** The publish activity of a worker's place, over `publisher`. */
export const activitiesAt = ({ code }: Place, publisher: Publisher, context: ActivityContext): PublishActivities =>
  code
    .again<{ readonly createActivities: (publisher: Publisher) => PublishActivities }>('activities/publish-events.ts', {
      '@temporalio/activity': { Context: { current: () => context } },
    })
    .createActivities(publisher);

import { startLoad } from '../load/start-load';
import { WORKFLOW_TYPE } from '../../workflows/names';
import type { Window } from '../load/job';
import type { BenchStack } from '../stack/bench-stack';
import { withWorkflows } from '../stack/with-workflows';
import type { Bench } from './bench';
import { figuresOf, jobOf } from './measure';
import { warm } from './prepare';
import { shareOfGreatest } from './share-of-greatest';
import { onStack } from './on-stack';

/** So few that each renews itself about every minute. */
const NODES = 100;
const SHARE = 0.7;
/** The greatest rate is that of nodes which have renewed: so long, for each minute of the soak, it is waited for and measured. */
const AGING_MS = 4_000;
const AGED_MS = 1_000;
const MINUTE_MS = 60_000;

/** Runs that the server keeps in its memory, those that are over among them: so few that it is full within the first minutes. */
const KEPT_RUNS = 1_000;

/** Measurements for many minutes, at a share of the rate that the service can take; a row a minute. */
export const soak = (bench: Bench): Promise<void> =>
  onStack(bench, { name: 'soak', dynamicConfig: { 'history.hostLevelCacheMaxSize': KEPT_RUNS } }, [warm, forMinutes]);

const forMinutes = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const { soakMinutes } = bench.options;
  const aged = { ...bench.options, warmUpMs: soakMinutes * AGING_MS, windowMs: soakMinutes * AGED_MS };
  const share = { section: 'soak', count: NODES, share: SHARE };
  const { target, pace } = await shareOfGreatest({ ...bench, options: aged }, stack, share);
  bench.say(`${soakMinutes} minutes at ${pace.perSecond} calls a second`);
  let minute = 0;
  const tell = (window: Window): void => {
    minute += 1;
    const figures = { ...figuresOf(window), minute, 'file bytes': window.fileBytes };
    bench.note({ section: 'soak', load: `minute ${minute}`, side: 'service', round: 1, figures });
  };
  const minutes = { windows: soakMinutes, warmUpMs: bench.options.warmUpMs, windowMs: MINUTE_MS };
  await startLoad(jobOf({ target, pace, ...minutes }, stack), bench.ground, tell);
  const figures = { renewals: await renewalsIn(stack) };
  bench.note({ section: 'soak', load: 'all minutes', side: 'service', round: 1, figures });
};

/** Runs that another one followed; the server keeps them for an hour. */
const renewalsIn = async (stack: BenchStack): Promise<number> => {
  const query = `WorkflowType = '${WORKFLOW_TYPE}' AND ExecutionStatus = 'ContinuedAsNew'`;
  const { count } = await withWorkflows(stack, (workflows) => workflows.count(query));
  return count;
};

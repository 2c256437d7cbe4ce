import { WORKFLOW_TYPE } from '../../workflows/messages';
import { startLoad } from '../load/start-load';
import { withWorkflows, type BenchStack } from '../bench-stack';
import { figuresOf, jobOf, onStack, type Bench } from './measure';
import { CALM_AND_FLAPPING, shareOfGreatest, warm } from './prepare';

/** So few that each continues as new about every minute. */
const NODES = 100;
const SHARE = 0.7;
/** The greatest rate is that of nodes that have continued as new; for each minute of the soak it is waited for and measured so long. */
const AGING_MS = 4_000;
const AGED_MS = 1_000;
const MINUTE_MS = 60_000;

/** Runs that the server caches, closed ones among them: so few that the cache is full within the first minutes. */
const CACHED_RUNS = 1_000;

/** Measurements for many minutes, at a share of the rate that the service can take; half of the nodes flap. A row a minute. */
export const soak = (bench: Bench): Promise<void> =>
  onStack(bench, { name: 'soak', dynamicConfig: { 'history.hostLevelCacheMaxSize': CACHED_RUNS } }, [warm, forMinutes]);

const forMinutes = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const { soakMinutes } = bench.options;
  const aged = { ...bench.options, warmUpMs: soakMinutes * AGING_MS, windowMs: soakMinutes * AGED_MS };
  const share = { section: 'soak', count: NODES, share: SHARE, dangerEvery: CALM_AND_FLAPPING };
  const { target, pattern } = await shareOfGreatest({ ...bench, options: aged }, stack, share);
  bench.say(`${soakMinutes} minutes at ${pattern.perSecond} calls per second`);
  const both = { section: 'soak', side: 'service', round: 1 };
  let minute = 0;
  const job = { target, pattern, windows: soakMinutes, warmUpMs: bench.options.warmUpMs, windowMs: MINUTE_MS };
  await startLoad(jobOf(job, stack), bench.ground, (window) => {
    minute += 1;
    const figures = { ...figuresOf(window), minute, 'file bytes': window.fileBytes };
    bench.note({ ...both, load: `minute ${minute}`, figures });
  });
  // The server keeps closed runs for an hour.
  const query = `WorkflowType = '${WORKFLOW_TYPE}' AND ExecutionStatus = 'ContinuedAsNew'`;
  const { count } = await withWorkflows(stack, (workflows) => workflows.count(query));
  bench.note({ ...both, load: 'all minutes', figures: { 'new runs': count } });
};

import { Client, Connection } from '@temporalio/client';
import { startLoad } from '../load/start-load';
import { WORKFLOW_TYPE } from '../../workflows/names';
import type { Window } from '../load/job';
import type { BenchStack } from '../stack/bench-stack';
import type { Bench } from './bench';
import { figuresOf, jobOf, measure, shareOf } from './measure';
import { freshNodes, serviceTarget, warm, withThresholds } from './prepare';
import { onStack } from './table';

/** So few that each renews itself every few minutes. */
const NODES = 100;
const CALLERS = 64;
const SHARE = 0.7;
const MINUTE_MS = 60_000;

/** Measurements for many minutes, at a share of the rate that the service can take; a row a minute. */
export const soak = (bench: Bench): Promise<void> => onStack(bench, { name: 'soak' }, [warm, forMinutes]);

const forMinutes = async (bench: Bench, stack: BenchStack): Promise<void> => {
  const nodes = await withThresholds(bench, stack, freshNodes(NODES));
  const target = await serviceTarget('recordMeasurement', stack, nodes);
  const pace = { kind: 'closed', callers: CALLERS } as const;
  const load = `${NODES} nodes, ${CALLERS} callers`;
  const most = await measure(bench, { section: 'soak', load, side: 'service', stack, target, pace }, 1);
  const perSecond = shareOf(most, SHARE);
  bench.say(`${bench.options.soakMinutes} minutes at ${perSecond} calls a second`);
  let minute = 0;
  const tell = (window: Window): void => {
    minute += 1;
    const figures = { ...figuresOf(window), minute, 'file bytes': window.fileBytes };
    bench.note({ section: 'soak', load: `minute ${minute}`, side: 'service', round: 1, figures });
  };
  const minutes = { windows: bench.options.soakMinutes, warmUpMs: bench.options.warmUpMs, windowMs: MINUTE_MS };
  await startLoad(jobOf({ target, pace: { kind: 'paced', perSecond }, ...minutes }, stack), bench.ground, tell);
  const figures = { renewals: await renewalsIn(stack) };
  bench.note({ section: 'soak', load: 'all minutes', side: 'service', round: 1, figures });
};

/** Runs that another one followed; the server keeps them for an hour. */
const renewalsIn = async ({ temporal }: BenchStack): Promise<number> => {
  const connection = await Connection.connect({ address: temporal });
  const query = `WorkflowType = '${WORKFLOW_TYPE}' AND ExecutionStatus = 'ContinuedAsNew'`;
  const { count } = await new Client({ connection }).workflow.count(query);
  await connection.close();
  return count;
};

import { inspect } from 'node:util';
import { inCallback, type Found, type Loaded } from '../run-many';
import { runSchedule } from '../world/run-schedule';
import type { Note } from '../world/world';
import { shrunk } from './shrink';
import { traceOf } from './trace';

/** All about a schedule that broke a promise: its seed, a smaller one that breaks it too, and the trace of that. */
export const reportOf = ({ plan, verdict }: Found, loaded: Loaded): Promise<string> =>
  inCallback(() => {
    const smallest = shrunk({ plan, verdict }, (smaller) => runSchedule(smaller, loaded.graphsOf(smaller)));
    const notes: Note[] = [];
    runSchedule(smallest.plan, loaded.graphsOf(smallest.plan), notes);
    return [
      `seed ${plan.seed} breaks: ${inspect(verdict.breaches.slice(0, 3))}`,
      `the same by less: ${inspect(smallest.plan, { depth: 5 })}`,
      `which breaks: ${inspect(smallest.verdict.breaches.slice(0, 3))}`,
      traceOf(notes),
    ].join('\n\n');
  });

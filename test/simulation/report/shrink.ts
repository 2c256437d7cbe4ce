import type { Found } from '../run-many';
import type { Plan } from '../world/plan';
import type { Verdict } from '../world/run-schedule';

/** The most schedules that shrinking tries. */
const MOST = 400;

/**
 * A smaller schedule that breaks one of the same promises: without the faults, messages, processes and calls that it does not
 * need. What is left is tried again, until nothing can be left out.
 */
export const shrunk = (broken: Found, run: (plan: Plan) => Verdict): Found => {
  const promises = new Set(broken.verdict.breaches.map(({ promise }) => promise));
  let smallest = broken;
  let tries = 0;
  for (let isSmaller = true; isSmaller && tries < MOST;) {
    isSmaller = false;
    for (const plan of smallerThan(smallest.plan)) {
      if (tries >= MOST) break;
      tries += 1;
      const verdict = run(plan);
      if (!verdict.breaches.some(({ promise }) => promises.has(promise))) continue;
      smallest = { plan, verdict };
      isSmaller = true;
      break;
    }
  }
  return smallest;
};

/** Plans that have one thing less, the largest steps first. */
const smallerThan = (plan: Plan): ReadonlyArray<Plan> => {
  const { faults, weather } = plan;
  const rates = Object.entries(weather.rates);
  const changed = (change: Partial<Plan>): ReadonlyArray<Plan> => [{ ...plan, ...change }];
  const hits = (kind: string): boolean => faults.some((fault) => 'of' in fault && fault.of.startsWith(kind));
  const none = plan.caches.map(() => false);
  return [
    ...(faults.length > 1 ? changed({ faults: [] }) : []),
    ...(rates.length > 1 ? changed({ weather: { ...weather, rates: {} } }) : []),
    ...faults.flatMap((_, index) => changed({ faults: faults.filter((__, at) => at !== index) })),
    ...rates.flatMap(([name]) =>
      changed({ weather: { ...weather, rates: Object.fromEntries(rates.filter(([other]) => other !== name)) } }),
    ),
    ...(weather.slowShare > 0 ? changed({ weather: { ...weather, slowShare: 0 } }) : []),
    ...(plan.reads > 0 ? changed({ reads: 0 }) : []),
    ...(plan.signals > 0 ? changed({ signals: 0 }) : []),
    ...(plan.caches.some(Boolean) ? changed({ caches: none }) : []),
    ...(plan.maxLength > 0 ? changed({ maxLength: 0 }) : []),
    ...(plan.nodes > 1 ? changed({ nodes: 1 }) : []),
    ...(plan.workers > 1 && !hits('worker') ? changed({ workers: 1 }) : []),
    ...(plan.apis > 1 && !hits('api') ? changed({ apis: plan.apis - 1 }) : []),
    ...(plan.callers > 1 ? changed({ callers: 1 }) : []),
    ...(plan.writes > 1 ? changed({ writes: Math.floor(plan.writes / 2) }) : []),
    ...(plan.writes > 2 ? changed({ writes: plan.writes - 1 }) : []),
    ...(plan.watchedMs > 1_500 ? changed({ watchedMs: 1_500 }) : []),
    ...(plan.bounds === 'shipped' ? [] : changed({ bounds: 'shipped' })),
    ...Array.from({ length: 12 }, (_, index) => index + 1)
      .filter((number) => !weather.muted.has(number) && rates.length > 0)
      .map((number) => ({ ...plan, weather: { ...weather, muted: new Set([...weather.muted, number]) } })),
  ];
};

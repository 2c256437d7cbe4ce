import type { Registry } from 'prom-client';
import { gauge } from './metrics';
import { singleFlight } from './single-flight';
import { withTimeout } from './timeout';

/** A server or component that a process depends on, and whether it answers. */
export interface Dependency {
  readonly dependency: string;
  readonly answers: () => Promise<boolean>;
}

export type Dependencies = ReturnType<typeof createDependencies>;

/** After this time (ms) a dependency counts as unavailable. The checks of dependencies have shorter limits of their own. */
const ANSWER_MS = 3_000;

/** Checks each dependency of a process at most once per second. A metric shows which of them answer. */
export const createDependencies = (dependencies: ReadonlyArray<Dependency>, registry: Registry) => {
  const asked = dependencies.map(({ dependency, answers }) => {
    const isAvailable = async (): Promise<boolean> => withTimeout(ANSWER_MS, answers());
    return { dependency, answers: singleFlight(() => isAvailable().catch(() => false)) };
  });
  /** The names of the dependencies that do not answer, in order; the `excluded` one is not asked. */
  const unavailable = async (excluded?: string): Promise<ReadonlyArray<string>> => {
    const wanted = asked.filter(({ dependency }) => dependency !== excluded);
    const answers = await Promise.all(wanted.map((one) => one.answers()));
    return wanted.flatMap(({ dependency }, index) => (answers[index] === true ? [] : [dependency]));
  };
  gauge(registry, 'point_alarm_dependency_up', async () => {
    const silent = await unavailable();
    return dependencies.map(({ dependency }) => [silent.includes(dependency) ? 0 : 1, { dependency }] as const);
  });
  return { names: dependencies.map(({ dependency }) => dependency), unavailable };
};

import type { Registry } from 'prom-client';
import { gauge } from './metrics';

/** A server or component that a process depends on, and whether it answers. */
export interface Dependency {
  readonly dependency: string;
  readonly answers: () => Promise<boolean>;
}

/** Exposes as a metric whether each dependency answers, checked at every scrape. */
export const exposeDependencies = (dependencies: ReadonlyArray<Dependency>, registry: Registry): void => {
  gauge(registry, 'point_alarm_dependency_up', async () => {
    const unavailable = await unavailableOf(dependencies);
    return dependencies.map(({ dependency }) => [unavailable.includes(dependency) ? 0 : 1, { dependency }] as const);
  });
};

/** The names of the dependencies that do not answer, in the given order. */
export const unavailableOf = async (dependencies: ReadonlyArray<Dependency>): Promise<ReadonlyArray<string>> => {
  const answers = await Promise.all(dependencies.map((one) => one.answers().catch(() => false)));
  return dependencies.flatMap(({ dependency }, index) => (answers[index] === true ? [] : [dependency]));
};

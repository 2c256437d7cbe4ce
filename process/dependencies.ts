import { Gauge, type Registry } from 'prom-client';

/** A server or component that a process depends on, and whether it answers. */
export interface Dependency {
  readonly dependency: string;
  readonly answers: () => Promise<boolean>;
}

/** Exposes as a metric whether each dependency answers, checked at every scrape. */
export const exposeDependencies = (dependencies: ReadonlyArray<Dependency>, registry: Registry): void => {
  new Gauge({
    name: 'point_alarm_dependency_up',
    help: 'Whether a dependency of the process answers: 1, else 0.',
    labelNames: ['dependency'],
    registers: [registry],
    async collect() {
      await Promise.all(
        dependencies.map(async ({ dependency, answers }) => {
          const isUp = await answers().catch(() => false);
          this.set({ dependency }, isUp ? 1 : 0);
        }),
      );
    },
  });
};

/** The names of the dependencies that do not answer, in the given order. */
export const unavailableOf = async (dependencies: ReadonlyArray<Dependency>): Promise<ReadonlyArray<string>> => {
  const answers = await Promise.all(dependencies.map((one) => one.answers().catch(() => false)));
  return dependencies.flatMap(({ dependency }, index) => (answers[index] === true ? [] : [dependency]));
};

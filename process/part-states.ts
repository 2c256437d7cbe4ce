import { Gauge, type Registry } from 'prom-client';

/** A part that a process stands on, and whether it answers. */
export interface StandsOn {
  readonly part: string;
  readonly answers: () => Promise<boolean>;
}

/** Shows whether each of `parts` answers; they are asked whenever the metrics are. */
export const showParts = (parts: ReadonlyArray<StandsOn>, registry: Registry): void => {
  new Gauge({
    name: 'point_alarm_dependency_up',
    help: 'Whether a dependency of the process answers: 1, else 0.',
    labelNames: ['dependency'],
    registers: [registry],
    async collect() {
      await Promise.all(
        parts.map(async ({ part, answers }) => {
          const isUp = await answers().catch(() => false);
          this.set({ dependency: part }, isUp ? 1 : 0);
        }),
      );
    },
  });
};

/** Those of `parts` that do not answer, in their order. */
export const silentOf = async (parts: ReadonlyArray<StandsOn>): Promise<ReadonlyArray<string>> => {
  const answers = await Promise.all(parts.map((one) => one.answers().catch(() => false)));
  return parts.flatMap(({ part }, index) => (answers[index] === true ? [] : [part]));
};

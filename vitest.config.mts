import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

type TierSettings = NonNullable<TestProjectInlineConfiguration['test']>;

/**
 * One tier of tests, a folder of its name. Groups run one after the other, since what they start shares the machine.
 * The files of a worker share their modules: loading them takes longer than most files do, and no module keeps state.
 */
const tier = (name: string, groupOrder: number, settings: TierSettings = {}): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, include: [`test/${name}/**/*.test.ts`], isolate: false, sequence: { groupOrder }, ...settings },
});

/** As many workers as a small machine has cores; vitest's own choice leaves one idle. */
const onBothCores: TierSettings = { maxWorkers: 2 };
const patient = (ms: number, maxWorkers: number): TierSettings => ({ testTimeout: ms, hookTimeout: ms, maxWorkers });
const onServers: TierSettings = { globalSetup: ['test/support/setup/servers.ts'] };

export default defineConfig({
  test: {
    projects: [
      tier('unit', 0, onBothCores),
      tier('property', 0, { ...onBothCores, testTimeout: 60_000 }),
      tier('contract', 1, { ...onBothCores, testTimeout: 30_000 }),
      tier('replay', 0, patient(60_000, 2)),
      tier('integration', 2, { ...patient(90_000, 3), ...onServers }), // its files mostly wait
      tier('e2e', 3, patient(300_000, 2)),
      tier('fuzz', 4, patient(300_000, 2)),
      tier('simulation', 7, patient(600_000, 1)),
      tier('slow', 5, { ...patient(300_000, 1), ...onServers }),
      tier('failover', 5, patient(600_000, 1)),
      tier('image', 5, { ...patient(600_000, 1), ...onServers }),
      tier('chaos', 6, patient(600_000, 2)),
      tier('overload', 6, patient(600_000, 1)),
      tier('cluster', 8, patient(600_000, 1)),
    ],
    coverage: {
      provider: 'v8',
      include: ['workflows/domain/**/*.ts'],
      reporter: ['text-summary', 'json-summary', 'lcovonly'],
      thresholds: { 'workflows/domain/**': { branches: 100 } },
    },
  },
});

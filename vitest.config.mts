import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

type TierSettings = NonNullable<TestProjectInlineConfiguration['test']>;

/**
 * One tier of tests, a folder of its name. Groups run one after the other; tiers of a group share the machine. The test files
 * of a worker share their modules, since loading these takes longer than most files do, and no module keeps state.
 */
const tier = (name: string, groupOrder: number, settings: TierSettings): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, include: [`test/${name}/**/*.test.ts`], isolate: false, sequence: { groupOrder }, ...settings },
});

const patient = (ms: number, maxWorkers: number): TierSettings => ({ testTimeout: ms, hookTimeout: ms, maxWorkers });
/** Tiers that compute, one file on each core of a small machine. */
const computing = (ms: number): TierSettings => ({ testTimeout: ms, hookTimeout: 60_000, maxWorkers: 2 });
/** Tiers of which some compute while the others wait for servers, processes and timers. */
const waiting = (ms: number): TierSettings => patient(ms, 4);
const onServers: TierSettings = { globalSetup: ['test/support/setup/servers.ts'] };

export default defineConfig({
  test: {
    projects: [
      tier('unit', 0, computing(10_000)),
      tier('property', 0, computing(240_000)), // many runs of each law
      tier('contract', 0, computing(30_000)),
      tier('simulation', 0, computing(600_000)),
      tier('replay', 1, waiting(60_000)),
      tier('integration', 1, { ...waiting(90_000), ...onServers }),
      tier('e2e', 1, waiting(300_000)),
      tier('fuzz', 1, waiting(300_000)),
      tier('cost', 3, patient(120_000, 1)),
      tier('slow', 4, { ...patient(300_000, 2), ...onServers }),
      tier('alone', 5, { ...patient(300_000, 1), ...onServers }), // measures, or needs a machine that is not busy
      tier('failover', 5, patient(600_000, 1)),
      tier('compose', 5, patient(900_000, 1)),
      tier('kubernetes', 5, patient(1_800_000, 1)),
      tier('chaos', 6, patient(600_000, 2)),
      tier('overload', 6, patient(600_000, 1)),
      tier('soak', 7, patient(14_400_000, 1)),
      tier('cluster', 8, patient(600_000, 1)),
      tier('hosts', 8, patient(1_800_000, 1)),
      tier('price', 8, patient(3_600_000, 1)),
    ],
    coverage: {
      provider: 'v8',
      include: ['workflows/domain/**/*.ts'],
      reporter: ['text-summary', 'json-summary', 'lcovonly'],
      thresholds: { 'workflows/domain/**': { branches: 100 } },
    },
  },
});

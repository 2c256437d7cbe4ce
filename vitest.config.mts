import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

type TierSettings = NonNullable<TestProjectInlineConfiguration['test']>;

/** One tier of tests, a folder of its name. Groups run one after the other, since what they start shares the machine. */
const tier = (name: string, groupOrder: number, settings: TierSettings = {}): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, include: [`test/${name}/**/*.test.ts`], sequence: { groupOrder }, ...settings },
});

const slow = (ms: number, maxWorkers: number): TierSettings => ({ testTimeout: ms, hookTimeout: ms, maxWorkers });

export default defineConfig({
  test: {
    projects: [
      tier('unit', 0),
      tier('property', 0, { testTimeout: 60_000 }),
      tier('contract', 0, { testTimeout: 30_000 }),
      tier('replay', 0, { testTimeout: 60_000, hookTimeout: 60_000 }),
      tier('integration', 1, { ...slow(90_000, 2), globalSetup: ['test/setup/servers.ts'] }),
      tier('e2e', 2, slow(300_000, 1)),
      tier('fuzz', 3, slow(300_000, 2)),
      tier('chaos', 4, slow(600_000, 2)),
    ],
    coverage: {
      provider: 'v8',
      include: ['workflows/domain/**/*.ts'],
      reporter: ['text-summary', 'json-summary', 'lcovonly'],
      thresholds: { 'workflows/domain/**': { branches: 100 } },
    },
  },
});

import type { Asked } from '../history';
import type { Random } from './random';

/** Makes writes, none of which asks for what another one asked for. */
export interface Asks {
  readonly threshold: () => Asked;
  readonly measurement: () => Asked;
  readonly external: () => Asked;
  readonly patch: () => Asked;
  /** One of the five kinds, mostly measurements. */
  readonly any: () => Asked;
}

export const createAsks = (random: Random, now: () => number = Date.now): Asks => {
  let made = 0;
  const next = (): number => (made += 1);
  const threshold = (): Asked => ({
    kind: 'setThreshold',
    threshold: {
      thresholdType: 2,
      overall: { unit: 'C', outerHigh: 70 + next() / 1_000, innerHigh: 50, innerLow: 20, outerLow: 10 },
    },
  });
  const measurement = (): Asked => ({
    kind: 'recordMeasurement',
    measurementId: random.uuid(),
    createdAt: now() - random.below(2),
  });
  const external = (): Asked => ({ kind: 'setExternalAlarm', status: random.below(5), setBy: random.uuid() });
  const patch = (): Asked => ({ kind: 'patchThreshold', fullScale: next() + 0.5 });
  return {
    threshold,
    measurement,
    external,
    patch,
    any: () => {
      const drawn = random.draw();
      if (drawn < 0.55) return measurement();
      if (drawn < 0.72) return external();
      if (drawn < 0.84) return { kind: 'recalculate' };
      return drawn < 0.93 ? patch() : threshold();
    },
  };
};

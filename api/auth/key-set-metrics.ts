import { Gauge, type Registry } from 'prom-client';
import type { KeySet } from './key-set';

/** Exposes as a metric how old the keys are that tokens are verified by. */
export const exposeKeySetAge = ({ age }: Pick<KeySet, 'age'>, registry: Registry): void => {
  new Gauge({
    name: 'point_alarm_key_set_age_seconds',
    help: 'Time since the key set was last fetched; 0 for a key set in a file, which is watched.',
    registers: [registry],
    collect() {
      this.set(age());
    },
  });
};

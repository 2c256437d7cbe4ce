import type { Fault } from './plan';
import type { World } from './world';

/** Has `fault` begin and end at its times. Returns when it is over (virtual ms). */
export const injectFault = (world: World, fault: Fault): number => {
  const { scheduler, redis } = world;
  const from = scheduler.now() + fault.at;
  const until = from + fault.forMs;
  const ends = (work: () => void): void => scheduler.at(until, work);
  const begins = (): void => {
    world.count(nameOf(fault, (of) => of.replace(/\d$/u, '')));
    world.note('fault', `${nameOf(fault, (of) => of)} for ${Math.round(fault.forMs)} ms`);
    const host = 'of' in fault ? world.hostOf(fault.of) : undefined;
    switch (fault.kind) {
      case 'crash':
        world.crash(fault.of);
        ends(() => world.start(fault.of));
        return;
      case 'freeze':
        if (host !== undefined) host.frozenUntil = Math.max(host.frozenUntil, until);
        return;
      case 'slow':
        if (host === undefined) return;
        host.lateMs = 150;
        ends(() => {
          host.lateMs = 0;
        });
        return;
      case 'restart':
        if (fault.of === 'redis' || host === undefined) {
          redis.restart(fault.forMs, world.plan.restartLosesMs);
          return;
        }
        world.setTemporalUp(false);
        world.temporal.forget();
        host.frozenUntil = Math.max(host.frozenUntil, until);
        ends(() => world.setTemporalUp(true));
        return;
      case 'full':
        redis.isFull = true;
        ends(() => {
          redis.isFull = false;
        });
        return;
      case 'failover':
        redis.failOver(fault.forMs);
        return;
      case 'replica cut':
        redis.cutReplica(until);
        return;
      case 'cut':
        for (const server of fault.from) world.cut(fault.of, server, until);
        // A silent connection to Redis is noticed by the missing answer to a ping.
        if (!fault.from.includes('redis') || fault.forMs <= 2_500) return;
        for (const link of redis.connections())
          if (link.host.name === fault.of && !link.host.isDead)
            scheduler.at(from + 2_250, () => link.drop('it does not answer'));
        return;
      case 'clock jump':
        if (host !== undefined) host.clockOffset += fault.by;
    }
  };
  scheduler.at(from, begins);
  return until;
};

const nameOf = (fault: Fault, shown: (of: string) => string): string => {
  if (!('of' in fault)) return fault.kind;
  const from = fault.kind === 'cut' ? ` from ${fault.from.join(' and ')}` : '';
  return `${fault.kind} of ${shown(fault.of)}${from}`;
};

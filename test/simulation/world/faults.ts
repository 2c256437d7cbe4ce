import type { Fault } from './plan';
import type { World } from './world';

/** Has `fault` begin and end at its times. Returns when it is over (virtual ms). */
export const plant = (world: World, fault: Fault): number => {
  const { scheduler, plan, hosts, redis, apis, workers } = world;
  const from = scheduler.now() + fault.at;
  const until = from + fault.forMs;
  const ends = (work: () => void): void => {
    scheduler.at(until, work);
  };
  const begins = (): void => {
    world.count(fault.kind);
    world.note('fault', `${fault.kind}${targetOf(fault)} for ${Math.round(fault.forMs)} ms`);
    switch (fault.kind) {
      case 'api crash':
        world.crashApi(fault.api);
        ends(() => {
          world.startApi(fault.api);
        });
        return;
      case 'api freeze':
        freeze(apis[fault.api]?.host);
        return;
      case 'api slow':
        slow(apis[fault.api]?.host);
        return;
      case 'worker crash':
        world.crashWorker(fault.worker);
        ends(() => {
          world.startWorker(fault.worker);
        });
        return;
      case 'worker freeze':
        freeze(workers[fault.worker]?.host);
        return;
      case 'worker slow':
        slow(workers[fault.worker]?.host);
        return;
      case 'temporal restart':
        world.setTemporalUp(false);
        world.temporal.forget();
        hosts.temporal.frozenUntil = Math.max(hosts.temporal.frozenUntil, until);
        ends(() => {
          world.setTemporalUp(true);
        });
        return;
      case 'temporal freeze':
        freeze(hosts.temporal);
        return;
      case 'redis restart':
        redis.restart(fault.forMs, plan.restartLosesMs);
        return;
      case 'redis freeze':
        freeze(hosts.redis);
        return;
      case 'redis full':
        redis.isFull = true;
        ends(() => {
          redis.isFull = false;
        });
        return;
      case 'redis failover':
        redis.failOver(fault.forMs);
        return;
      case 'replica cut':
        redis.cutReplica(until);
        return;
      case 'api cut off':
        cut(`api${fault.api + 1}`, false);
        cut(`api${fault.api + 1}`, true);
        return;
      case 'api cut from temporal':
      case 'api cut from redis':
        cut(`api${fault.api + 1}`, fault.kind === 'api cut from redis');
        return;
      case 'worker cut from temporal':
      case 'worker cut from redis':
        cut(`worker${fault.worker + 1}`, fault.kind === 'worker cut from redis');
        return;
      case 'clock jump': {
        const host =
          fault.of === 'api' ? apis[fault.index]?.host : fault.of === 'temporal' ? hosts.temporal : hosts.redis;
        if (host !== undefined) host.clockOffset += fault.by;
        return;
      }
      case 'reset': {
        const nodeId = world.nodes[fault.node] ?? '';
        world.reset(nodeId, fault.tasks);
        if (fault.asksToPublish)
          ends(() => {
            void world.publishNow(nodeId);
          });
      }
    }
  };
  const freeze = (host: { frozenUntil: number } | undefined): void => {
    if (host !== undefined) host.frozenUntil = Math.max(host.frozenUntil, until);
  };
  const slow = (host: { lateMs: number } | undefined): void => {
    if (host === undefined) return;
    host.lateMs = 150;
    ends(() => {
      host.lateMs = 0;
    });
  };
  const cut = (name: string, isRedis: boolean): void => {
    world.cut(name, isRedis ? 'redis' : 'temporal', until);
    if (!isRedis) return;
    // A silent connection is noticed by the missing answer to a ping.
    for (const link of redis.connections())
      if (link.host.name === name && !link.host.isDead && fault.forMs > 2_500)
        scheduler.at(from + 2_250, () => {
          link.drop('it does not answer');
        });
  };
  scheduler.at(from, begins);
  return until;
};

const targetOf = (fault: Fault): string => {
  if ('api' in fault) return ` of api${fault.api + 1}`;
  if ('worker' in fault) return ` of worker${fault.worker + 1}`;
  if (fault.kind === 'clock jump')
    return ` of ${fault.of}${fault.of === 'api' ? fault.index + 1 : ''} by ${Math.round(fault.by)} ms`;
  return '';
};

import { execute, type RedisCommand, type RedisState } from '../../simulation/models/redis-state';

/** A client whose server is the model; test/integration/simulation/redis-state.test.ts holds that against a real one. */
export const modelledClient = (state: RedisState, now: () => number = Date.now) => {
  const run = async (command: RedisCommand): Promise<unknown> => execute(state, command, now());
  return {
    isReady: true,
    evalSha: (
      _: string,
      { keys: [stream = '', published = ''], arguments: given }: { keys: string[]; arguments: string[] },
    ) => run({ name: 'append', keys: [stream, published], given }),
    eval: () => Promise.reject(new Error('not asked')),
    wait: () => Promise.resolve(0),
    zAdd: async (
      key: string,
      { score, value }: { readonly score: number; readonly value: string },
      options?: { readonly condition: 'XX' },
    ) => Number(await run({ name: 'zAdd', key, score, value, ifThere: options !== undefined })),
    zRem: async (key: string, values: string[]) => Number(await run({ name: 'zRem', key, values })),
    zRangeWithScores: async (
      key: string,
      min: number,
      max: number,
      { LIMIT: { count } }: { readonly LIMIT: { readonly count: number } },
    ) =>
      (await run({ name: 'zRange', key, min, max, count })) as ReadonlyArray<{
        readonly value: string;
        readonly score: number;
      }>,
    set: (key: string, value: string, { EX }: { readonly EX: number }) => run({ name: 'set', key, value, seconds: EX }),
    pTTL: async (key: string) => Number(await run({ name: 'pTTL', key })),
    time: async () => (await run({ name: 'time' })) as ReadonlyArray<string>,
    xRead: ({ key, id }: { readonly key: string; readonly id: string }, { COUNT }: { readonly COUNT: number }) =>
      run({ name: 'xRead', key, id, count: COUNT }),
    xInfoStream: async (key: string) =>
      (await run({ name: 'xInfo', key })) as { readonly 'last-generated-id': string; readonly 'entries-added': number },
  };
};

export type ModelledClient = ReturnType<typeof modelledClient>;

import { setTimeout as sleep } from 'node:timers/promises';
import { exchange } from './callers';

/** Calls that must be answered whatever the load: how many were, of how many. */
export type Probed = { readonly readyShare: number; readonly readShare: number };

const EVERY_MS = 250;
/** Answers that come later do not count. */
const WITHIN_MS = 2_000;

/** Asks for `/readyz` and reads the status of a node, four times a second each, until it is stopped. */
export const startProbes = (url: string, token: string, nodes: ReadonlyArray<string>): (() => Promise<Probed>) => {
  let isOver = false;
  const share = async (pathOf: (number: number) => string): Promise<number> => {
    const answers: Promise<boolean>[] = [];
    const headers = { Authorization: `Bearer ${token}` };
    while (!isOver) {
      const answer = exchange(url, 'GET', pathOf(answers.length), headers, undefined, WITHIN_MS);
      answers.push(answer.then(({ status }) => status === 200));
      await sleep(EVERY_MS);
    }
    return (await Promise.all(answers)).filter(Boolean).length / Math.max(1, answers.length);
  };
  const both = Promise.all([
    share(() => '/readyz'),
    share((number) => `/v1/alarm-status/${nodes[number % nodes.length]}`),
  ]);
  return async () => {
    isOver = true;
    const [readyShare, readShare] = await both;
    return { readyShare, readShare };
  };
};

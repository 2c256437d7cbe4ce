import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Asked, Write } from '../history';
import type { SignToken } from '../stack/token-signer';
import { answerOf, type CallResult, type Caller, type Call } from './call';
import { callOf, spoilCall, type RequestSource } from './requests';
import type { Random } from './random';

/** One try of a write, as its caller saw it. `at` is when it was sent, in ms of `performance`. */
interface Try {
  readonly writeId: string;
  readonly nodeId: string;
  readonly at: number;
  readonly base: string;
  readonly called: CallResult;
}

/** How a write is to be sent. */
interface Manner {
  /** Under an `Idempotency-Key`: it is sent again, to the next address, until it has a definite answer or `until`. */
  readonly keyed: boolean;
  readonly until?: () => boolean;
  /** So that it must be refused. */
  readonly bad?: boolean;
}

export interface Recorder {
  readonly writes: Write[];
  readonly tries: Try[];
  readonly send: (nodeId: string, asked: Asked, manner: Manner) => Promise<Write>;
}

export interface RecorderParts {
  readonly caller: Caller;
  readonly signToken: SignToken;
  readonly newId: () => string;
  /** The address of the next try. */
  readonly nextBase: () => string;
}

const PAUSE_MS = 200;

export const createRecorder = ({ caller, signToken, newId, nextBase }: RecorderParts): Recorder => {
  const writes: Write[] = [];
  const tries: Try[] = [];
  const attempt = async (nodeId: string, writeId: string, call: Call): Promise<CallResult> => {
    const base = nextBase();
    const at = performance.now();
    const called = await caller.call(base, call);
    tries.push({ writeId, nodeId, at, base, called });
    return called;
  };
  return {
    writes,
    tries,
    send: async (nodeId, asked, { keyed, until = () => false, bad = false }) => {
      const id = newId();
      const plain = bad ? spoilCall(callOf(nodeId, id, asked)) : callOf(nodeId, id, asked);
      const authorization = { Authorization: `Bearer ${await signToken(id)}` };
      const call = {
        ...plain,
        headers: { ...plain.headers, ...authorization, ...(keyed && { 'Idempotency-Key': id }) },
      };
      const sentAt = performance.now();
      let mayHaveChanged = false;
      let answer: Answer;
      for (;;) {
        const called = await attempt(nodeId, id, call);
        answer = answerOf(called);
        mayHaveChanged ||= answer === 'unknown';
        if (!keyed || isDefinite(called) || until()) break;
        await sleep(PAUSE_MS);
      }
      if (answer === 'refused' && mayHaveChanged) answer = 'unknown';
      const answeredAt = answer === 'unknown' ? Infinity : performance.now();
      const write: Write = { id, nodeId, asked, sentAt, answeredAt, answer };
      writes.push(write);
      return write;
    },
  };
};

/** Whether a repeat would be answered the same. */
const isDefinite = ({ status }: CallResult): boolean => status >= 200 && status < 500 && status !== 429;

/** Callers that write to `nodes` until they are stopped. */
export interface LoadPlan {
  readonly recorder: Recorder;
  readonly requests: RequestSource;
  readonly random: Random;
  readonly nodes: ReadonlyArray<string>;
  readonly callers: number;
  /** Between two writes of a caller, on average. */
  readonly pauseMs: number;
  /** The share of writes that are sent again under their key until they are answered, and that must be refused. */
  readonly keyed?: number;
  readonly bad?: number;
}

/** Starts the callers; stopping waits until each has its last answer. */
export const startLoad = (plan: LoadPlan): { readonly stop: () => Promise<void> } => {
  const { recorder, requests, random, nodes, callers, pauseMs, keyed = 0.5, bad = 0.03 } = plan;
  let stopped = false;
  const call = async (): Promise<void> => {
    await sleep(random.draw() * pauseMs);
    while (!stopped) {
      const manner = { keyed: random.draw() < keyed, bad: random.draw() < bad, until: () => stopped };
      await recorder.send(random.pick(nodes), requests.any(), manner);
      await sleep(2 * random.draw() * pauseMs);
    }
  };
  const calling = Array.from({ length: callers }, call);
  return {
    stop: async () => {
      stopped = true;
      await Promise.all(calling);
    },
  };
};

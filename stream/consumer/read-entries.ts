import { pause } from '../../process/backoff';
import { reasonOf } from '../../process/reason-of';
import { unlessAborted } from '../../process/timeout';
import type { Consumer } from './consumer';
import { joinGroup, newEntries, claimIdle, untilNewer } from './group';
import { serveNodes } from './serve-nodes';

const PAUSE_MS = 500;
const SHORT_MS = 50;
/** Time (ms) within which the same error of Redis is reported only once. */
const QUIET_MS = 5_000;

/** Reads the group's entries and has them handled, until the signal aborts and no try is in flight. It never rejects. */
export const readEntries = async (consumer: Consumer): Promise<void> => {
  const { signal, commands, reader, claimAfterMs, report, reportGaps } = consumer;
  const outage = reportOnce(report);
  const { hold, hasRoom, idle } = serveNodes(consumer, outage);
  /** Claims idle entries. Returns the id from which to look for more idle entries; undefined if there are no more. */
  const take = async (silentMs: number, own: boolean, after = '-'): Promise<string | undefined> => {
    const { entries, hasGap, last } = await claimIdle(commands, consumer, silentMs, own, after);
    hold(entries);
    if (hasGap) await reportGaps();
    return last;
  };
  const takeOwn = async (silentMs: number): Promise<void> => {
    let after = await take(silentMs, true);
    while (after !== undefined) after = await take(silentMs, true, after);
  };

  const state = { isJoined: false, hasJoined: false, takeAt: 0 };
  const join = async (): Promise<void> => {
    await joinGroup(commands, consumer, state.hasJoined);
    await reportGaps();
    await takeOwn(0); // entries that were delivered before the connection was lost
    state.isJoined = state.hasJoined = true;
  };
  const read = async (): Promise<void> => {
    if (performance.now() >= state.takeAt) {
      await takeOwn(claimAfterMs / 3); // ends the idle time of our entries, so that no other consumer claims them
      await reportGaps();
      state.takeAt = performance.now() + claimAfterMs / 2;
      // Entries that others left are claimed before new ones are read: they are older, and most new ones wait for them.
      if (hasRoom() && (await take(claimAfterMs, false)) !== undefined) state.takeAt = 0;
    } else if (hasRoom()) {
      const { entries, newest, hasGap } = await newEntries(commands, consumer);
      hold(entries);
      if (hasGap) await reportGaps();
      if (entries.length === 0) await unlessAborted(signal, untilNewer(reader, consumer, newest), () => undefined);
    } else await pause(SHORT_MS, signal);
  };
  while (!signal.aborted) {
    try {
      if (!(commands.client.isReady && reader.client.isReady)) await pause(SHORT_MS, signal);
      else if (state.isJoined) await read();
      else await join();
    } catch (error) {
      outage(error);
      state.isJoined = false;
      await pause(PAUSE_MS, signal);
    }
  }
  await idle();
};

const reportOnce = (report: (line: string) => void) => {
  let [last, quietUntil] = ['', 0];
  return (error: unknown): void => {
    const line = `Redis: ${reasonOf(error)}`;
    if (line === last && performance.now() < quietUntil) return;
    [last, quietUntil] = [line, performance.now() + QUIET_MS];
    report(line);
  };
};

import { pause } from '../../process/backoff';
import { reasonOf } from '../../process/reason-of';
import { unlessAborted } from '../../process/timeout';
import type { Consumer } from './consumer';
import { joinGroup, newEntries, claimIdle, waitForNewer } from './group';
import { serveNodes } from './serve-nodes';

const PAUSE_MS = 500;
const SHORT_MS = 50;
/** Time (ms) within which the same error of Redis is reported only once. */
const QUIET_MS = 5_000;

/** Reads the group's entries and has them handled, until the signal aborts and no try is in flight. It never rejects. */
export const readEntries = async (consumer: Consumer): Promise<void> => {
  const { signal, commands, reader, claimAfterMs, report, reportGaps } = consumer;
  const outage = reportOnce(report);
  const { addEntries, hasRoom, whenIdle } = serveNodes(consumer, outage);
  /** Claims idle entries. Returns the id from which to look for more idle entries; undefined if there are no more. */
  const claim = async (silentMs: number, own: boolean, after = '-'): Promise<string | undefined> => {
    const { entries, hasGap, last } = await claimIdle(commands, consumer, silentMs, own, after);
    addEntries(entries);
    if (hasGap) await reportGaps();
    return last;
  };
  const claimOwn = async (silentMs: number): Promise<void> => {
    let after = await claim(silentMs, true);
    while (after !== undefined) after = await claim(silentMs, true, after);
  };

  const state = { isJoined: false, hasJoined: false, claimAt: 0 };
  const join = async (): Promise<void> => {
    await joinGroup(commands, consumer, state.hasJoined);
    await reportGaps();
    await claimOwn(0); // entries that were delivered before the connection was lost
    state.isJoined = state.hasJoined = true;
  };
  const read = async (): Promise<void> => {
    if (performance.now() >= state.claimAt) {
      await claimOwn(claimAfterMs / 3); // ends the idle time of our entries, so that no other consumer claims them
      await reportGaps();
      state.claimAt = performance.now() + claimAfterMs / 2;
      // Entries that others left are claimed before new ones are read: they are older, and most new ones wait for them.
      if (hasRoom() && (await claim(claimAfterMs, false)) !== undefined) state.claimAt = 0;
    } else if (hasRoom()) {
      const { entries, newest, hasGap } = await newEntries(commands, consumer);
      addEntries(entries);
      if (hasGap) await reportGaps();
      if (entries.length === 0) await unlessAborted(signal, waitForNewer(reader, consumer, newest), () => undefined);
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
  await whenIdle();
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

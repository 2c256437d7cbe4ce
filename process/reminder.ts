const REMINDS_MS = 60_000;

export type Reminder = ReturnType<typeof createReminder>;

/** Says when a lasting fact is to be logged: at first, and then each minute, so that the newest lines of a log show it. */
export const createReminder = () => {
  let saidAt: number | undefined;
  return {
    /** Whether a fact that holds now is to be logged. */
    isDue: (): boolean => {
      const now = performance.now();
      if (saidAt !== undefined && now - saidAt < REMINDS_MS) return false;
      saidAt = now;
      return true;
    },
    /** The fact holds no more. */
    end: (): void => void (saidAt = undefined),
  };
};

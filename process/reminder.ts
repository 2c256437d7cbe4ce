const REMINDS_MS = 60_000;

export type Reminder = ReturnType<typeof createReminder>;

/** Decides when to log a lasting condition: at once, and then each minute, so that the newest lines of the log show it. */
export const createReminder = () => {
  let saidAt: number | undefined;
  return {
    /** Whether to log the condition now. */
    isDue: (): boolean => {
      const now = performance.now();
      if (saidAt !== undefined && now - saidAt < REMINDS_MS) return false;
      saidAt = now;
      return true;
    },
    /** Call this when the condition is over, so that its next occurrence is logged at once. */
    end: (): void => void (saidAt = undefined),
  };
};

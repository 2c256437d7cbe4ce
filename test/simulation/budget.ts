const number = (name: string, otherwise: number): number => {
  const text = process.env[name];
  return text === undefined || text === '' ? otherwise : Number(text);
};

/** How many schedules the tests run, at most, and for how long (s) at most: a busy machine runs fewer. */
export const budget = {
  schedules: number('SIMULATE_SCHEDULES', 20_000),
  seconds: number('SIMULATE_SECONDS', 20),
};

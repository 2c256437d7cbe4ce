const number = (name: string, otherwise: number): number => {
  const text = process.env[name];
  return text === undefined || text === '' ? otherwise : Number(text);
};

/** How long each of ten searches goes on, and their seed; `npm run fuzz` takes another seed and more time. */
export const budget = {
  seed: number('FUZZ_SEED', 20_261_128),
  searchMs: (number('FUZZ_MINUTES', 1) * 60_000) / 10,
};

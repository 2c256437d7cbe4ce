/** The seed of a run, printed with every table: `CHAOS_SEED` repeats it. */
export const seed = Number(process.env['CHAOS_SEED'] ?? Math.floor(Math.random() * 1_000_000));

/** `CHAOS=long`: each scenario several times, and outages longer than every time-out of the service. */
export const isLong = process.env['CHAOS'] === 'long';

/** `CHAOS=short`: outages of seconds where they are of a minute else, for a run of well under ten minutes. */
export const isShort = process.env['CHAOS'] === 'short';

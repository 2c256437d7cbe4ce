/**
 * What a HAL has to beat: the mean logarithm by which the peaks of five harmonics `hz` apart exceed the medians around
 * them, at the best slip up to 2 %. Lines are 1 Hz apart.
 */
export const plainComb = (amplitudes: Float64Array, hz: number): number => {
  const logs = amplitudes.map(Math.log);
  const reach = Math.max(hz / 2, 25);
  const numbers = [1, 2, 3, 4, 5].filter((number) => number * hz * 1.02 < logs.length - 1);
  const floors = numbers.map((number) =>
    medianOf(logs.slice(Math.max(Math.trunc(number * hz - reach), 2), Math.trunc(number * hz + reach) + 1)),
  );
  const slips = Array.from({ length: 41 }, (_, at) => 0.98 + at / 1_000);
  return Math.max(
    ...slips.map((slip) => {
      const overs = numbers.map((number, at) => {
        const line = Math.round(number * hz * slip);
        return Math.max(...logs.slice(line - 1, line + 2)) - (floors[at] ?? 0);
      });
      return overs.reduce((sum, over) => sum + over, 0) / numbers.length;
    }),
  );
};

const medianOf = (values: Float64Array): number => values.sort()[values.length >>> 1] ?? NaN;

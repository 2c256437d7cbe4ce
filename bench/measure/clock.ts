/** ms since the epoch, with fractions. */
export const now = (): number => performance.timeOrigin + performance.now();

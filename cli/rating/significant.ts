/** A number of at most so many significant digits. */
export const significant = (value: number, digits: number): string => String(Number(value.toPrecision(digits)));

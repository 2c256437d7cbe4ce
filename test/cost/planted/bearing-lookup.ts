import * as real from '../../../workflows/domain/rating/vibration/bearings/bearing-lookup';

export * from '../../../workflows/domain/rating/vibration/bearings/bearing-lookup';

/** Joins the beginning of a name up to each of its parts, for each of two tables. */
export const ordersIn: typeof real.ordersIn = (own) => {
  const find = real.ordersIn(own);
  return (bearing) => {
    const heads = [own, 'the built-in table'].flatMap(() => {
      const parts = bearing.modelNumber.toUpperCase().split(/[\s\-/._]+/u);
      return parts.map((_, index) => parts.slice(0, index + 1).join(''));
    });
    return heads.includes('\0') ? undefined : find(bearing);
  };
};

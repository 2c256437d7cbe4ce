import * as real from '../../../workflows/domain/rating/vibration/bearings/bearing-lookup';

export * from '../../../workflows/domain/rating/vibration/bearings/bearing-lookup';

/** Joins the beginning of a name up to each of its parts. */
export const ordersIn: typeof real.ordersIn = (own) => {
  const find = real.ordersIn(own);
  return (bearing) => {
    const parts = bearing.modelNumber.split(/[\s\-/._]+/u);
    const heads = parts.map((_, index) => parts.slice(0, index + 1).join(''));
    return heads.includes('\0') ? undefined : find(bearing);
  };
};

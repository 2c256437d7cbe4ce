import * as c from '../../../codecs';
import { hardLimits } from '../../../limits';
import { DefectOrders } from './defect-orders';

const name = { manufacturer: c.text(hardLimits.textLength), modelNumber: c.text(hardLimits.textLength) };

export type BearingName = Pick<SoughtBearing, keyof typeof name>;

/** A bearing that was looked for in the operator's file and the built-in table; without orders none was found. */
export const SoughtBearing = c.object('bearing', name, { orders: DefectOrders });
export type SoughtBearing = c.TypeOf<typeof SoughtBearing>;

/** A bearing with the orders that were found for it, as it is kept with a threshold. */
export const ResolvedBearing = c.object('resolved bearing', { ...name, orders: DefectOrders });
export type ResolvedBearing = c.TypeOf<typeof ResolvedBearing>;

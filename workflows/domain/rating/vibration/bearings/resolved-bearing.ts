import { object, text, type Codec } from '../../../codecs';
import { hardLimits } from '../../../limits';
import { DefectOrders } from './defect-orders';

/** A bearing by the name that a threshold gives it. */
export interface BearingName {
  readonly manufacturer: string;
  readonly modelNumber: string;
}

/** A bearing that was looked for in the operator's file and the built-in table; without orders none was found. */
export interface SoughtBearing extends BearingName {
  readonly orders?: DefectOrders;
}

/** A bearing with the orders that were found for it. */
export interface ResolvedBearing extends BearingName {
  readonly orders: DefectOrders;
}

const name = { manufacturer: text(hardLimits.textLength), modelNumber: text(hardLimits.textLength) };

/** A bearing as it is kept with a threshold. */
export const ResolvedBearing: Codec<ResolvedBearing> = object(
  'resolved bearing',
  { ...name, orders: DefectOrders },
  {},
);

/** A bearing as a command brings it. */
export const SoughtBearing: Codec<SoughtBearing> = object('bearing', name, { orders: DefectOrders });

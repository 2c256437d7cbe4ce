import { object, text, type Codec } from '../../codecs';
import { hardLimits } from '../../limits';
import { DefectOrders } from './defect-orders';

/** A bearing by the name that a threshold gives it, with the orders that were found for it. */
export interface ResolvedBearing {
  readonly manufacturer: string;
  readonly modelNumber: string;
  readonly orders: DefectOrders;
}

/** A bearing as it is kept with a threshold. */
export const ResolvedBearing: Codec<ResolvedBearing> = object(
  'resolved bearing',
  { manufacturer: text(hardLimits.textLength), modelNumber: text(hardLimits.textLength), orders: DefectOrders },
  {},
);

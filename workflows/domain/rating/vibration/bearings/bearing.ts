import * as c from '../../../codecs';
import { hardLimits } from '../../../limits';

/** Defect orders: a bearing's fault frequencies in multiples of the shaft's speed, while the outer ring stands still. */
export const defectOrders = {
  /** How often the cage turns. */
  ftf: c.positive,
  /** How often a rolling element turns about itself. A fault of it strikes twice a turn, once on each ring. */
  bsf: c.positive,
  /** How many rolling elements pass a place of the outer ring. */
  bpfo: c.positive,
  /** How many rolling elements pass a place of the inner ring. */
  bpfi: c.positive,
};
export const DefectOrders = c.object('defect orders', defectOrders);
export type DefectOrders = c.TypeOf<typeof DefectOrders>;

/** The inner geometry of a bearing. Both diameters have the same unit, whichever it is. */
export const Geometry = c.object(
  'geometry',
  { elements: c.positive, elementDiameter: c.positive, pitchDiameter: c.positive },
  /** In degrees; absent: 0, as in deep groove ball bearings. */
  { contactAngle: c.finite },
);
export type Geometry = c.TypeOf<typeof Geometry>;

/**
 * The defect orders that follow from `geometry`, when nothing slips.
 *
 * Source: R. B. Randall and J. Antoni, "Rolling element bearing diagnostics - a tutorial", Mechanical Systems and Signal
 *         Processing 25 (2011), equations 1 to 4.
 */
export const ordersOf = ({ elements, elementDiameter, pitchDiameter, contactAngle = 0 }: Geometry): DefectOrders => {
  const ratio = (elementDiameter / pitchDiameter) * Math.cos((contactAngle * Math.PI) / 180);
  return {
    ftf: (1 - ratio) / 2,
    bsf: (pitchDiameter / (2 * elementDiameter)) * (1 - ratio ** 2),
    bpfo: (elements * (1 - ratio)) / 2,
    bpfi: (elements * (1 + ratio)) / 2,
  };
};

const name = { manufacturer: c.text(hardLimits.textLength), modelNumber: c.text(hardLimits.textLength) };

export type BearingName = Pick<SoughtBearing, keyof typeof name>;

/** A bearing that was looked for in the operator's file and the built-in table. If it was not found, it has no orders. */
export const SoughtBearing = c.object('bearing', name, { orders: DefectOrders });
export type SoughtBearing = c.TypeOf<typeof SoughtBearing>;

/** A bearing with the orders that were found for it, as it is kept with a threshold. */
export const ResolvedBearing = c.object('resolved bearing', { ...name, orders: DefectOrders });
export type ResolvedBearing = c.TypeOf<typeof ResolvedBearing>;

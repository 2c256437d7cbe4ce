import * as c from '../../../codecs';

/** The rates of a bearing's faults in multiples of the shaft's speed, the outer ring standing still. */
export const DefectOrders = c.object('defect orders', {
  /** The cage's own turns. */
  ftf: c.positive,
  /** The turns of a rolling element about itself; a fault of it strikes twice a turn, once either ring. */
  bsf: c.positive,
  /** Elements that pass a place of the outer ring. */
  bpfo: c.positive,
  /** Elements that pass a place of the inner ring. */
  bpfi: c.positive,
});
export type DefectOrders = c.TypeOf<typeof DefectOrders>;

/** The inside of a bearing; the diameters share one unit, whichever. */
export interface Geometry {
  readonly elements: number;
  readonly elementDiameter: number;
  readonly pitchDiameter: number;
  /** In degrees; absent: 0, as in deep groove ball bearings. */
  readonly contactAngle?: number;
}

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

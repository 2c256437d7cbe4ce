/**
 * Every constant of the HAL index, with its reason.
 *
 * They were chosen on recordings of four test rigs and on synthetic spectra: docs/decisions.md, "HAL index".
 */
export const halConstants = {
  /** Half of the neighbourhood whose median is the noise floor of a line, in lines: wider than a lobe, narrower than a resonance. */
  floorReach: 32,
  /** Lines between two floors that are computed; those between are interpolated. */
  floorStride: 32,
  /** Bounds of a line's excess over its floor (natural logarithm): no line is worth more than 35 dB, a missing one costs. */
  leastExcess: -2,
  mostExcess: 4,
  /** Harmonics of a family: the first ones. Each weighs by the root of its number less, since slip smears the higher ones. */
  harmonics: 10,
  /** Least distance of two harmonics in lines: a lobe is four lines wide. */
  resolved: 5,
  /** How far a bearing or a belt may run off its frequency: 2 % by slip, 1 % by the error of the speed. */
  slip: 0.03,
  /** How far a multiple of the shaft may run off: by the error of the speed. */
  speedError: 0.01,
  /** What lies so near a multiple of the shaft cannot be told from it: a fault is not looked for there, a rival is none. */
  onShaft: 0.004,
  /** Orders so near a whole number coincide with it whatever the slip. */
  coincident: 0.005,
  /** Rivals are other fundamentals, in multiples of the family's: from above its half, whose every other harmonic is the family's. */
  rivalsFrom: 0.55,
  rivalsTo: 2.6,
  /** No rival is so near: a share of the frequency, but at least so many lines. */
  rivalsApart: 0.04,
  rivalLinesApart: 1,
  /** The double of a family shares its lines: it is a rival from this many times the family's score. */
  doubleFrom: 1.6,
  /** The share of the best rival's score that a family must exceed. */
  rivalWeight: 0.85,
  /** The lead over rivals at which the index is 3.5: this, and a share of the scatter of lines, which is bounded. */
  leastLead: 0.2,
  leadPerScatter: 0.65,
  mostScatter: 0.4,
  /** The index without any lead, and what the least lead adds to it. */
  indexWithoutLead: 2,
  indexPerLead: 1.5,
  /** A harmonic is evident from this excess (9 dB). With fewer than two the index stays below 3.5. */
  evident: 1,
  fewestEvident: 2,
  mostWithoutEvidence: 3.4,
  /** From this index a family explains lines, so that they are no evidence for another. */
  explains: 3.5,
  /** Lines from this excess (6 dB) are explained with their lobes. */
  explained: 0.7,
  /** Beside a family's lines nothing counts that is not above this share of their height (-20 dB), as a natural logarithm. */
  shadow: -2.302585,
  /** How many families of bearings explain lines, the strongest first. */
  turns: 3,
  /** Families so near each other are the same one. */
  same: 0.01,
} as const;

/**
 * Every constant of the HAL index, with its reason.
 *
 * They were chosen on recordings of four test rigs and on synthetic spectra: docs/contributing/hal-method.md.
 */
export const halConstants = {
  /** Half of the neighbourhood whose median is the noise floor of a line, in lines: wider than a lobe, narrower than a resonance. */
  floorReach: 32,
  /** Lines between two floors that are computed; those between are interpolated. */
  floorStride: 48,
  /** The least excess of a line over its floor (natural logarithm): a missing line costs no more than 17 dB. */
  leastExcess: -2,
  /** Harmonics of a family: the first ones. Each weighs by the root of its number less, since slip smears the higher ones. */
  harmonics: 10,
  /** Least distance of two harmonics in lines: a lobe is four lines wide. */
  resolved: 5,
  /** How far a bearing or a belt may run off its frequency: 2 % by slip, 1 % by the error of the speed. */
  slip: 0.03,
  /** How far a multiple of the shaft may run off: by the error of the speed. */
  speedError: 0.01,
  /** Harmonics by which the shaft is found: the more, the better its place. */
  shaftHarmonics: 30,
  /** What lies so near a multiple of the shaft cannot be told from it: a fault is not looked for there, a rival is none. */
  onShaft: 0.004,
  /** Rivals are other fundamentals, in multiples of the family's: from well above its half, whose every other harmonic is the family's. */
  rivalsFrom: 0.6,
  rivalsTo: 2.6,
  /** The share of the best rival's score that a family must exceed. */
  rivalWeight: 0.85,
  /** The index without any lead over rivals, and what a lead of 1 adds to it: a lead of 0.43 (3.7 dB) makes it 3.5. */
  indexWithoutLead: 2,
  indexPerLead: 1.5 / 0.43,
  /** A line is evident from this excess (8.7 dB). With fewer harmonics the index stays below 3.5. */
  evident: 1,
  fewestEvident: 2,
  mostWithoutEvidence: 3.4,
  /** Beside a multiple of the shaft that stands out as much, so many harmonics must lie outside of the lobes of the shaft's. */
  fewestOwn: 3,
  /** From this index a family explains lines, so that they are no evidence for another. */
  explains: 3.5,
  /** Beside a family's lines nothing counts that is not above this share of their height (-20 dB). */
  shadow: 0.1,
  /** Families so near each other are the same one. */
  same: 0.01,
} as const;

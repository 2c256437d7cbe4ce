/**
 * Every constant of the HAL index, with its reason (`family.ts` and `hal-index.ts` define families and rivals).
 *
 * The constants were chosen on recordings of four test rigs and on synthetic spectra: docs/contributing/hal-method.md.
 */
export const halConstants = {
  /** A noise floor is the median of a line and this many lines on each side: wider than a lobe, narrower than a resonance. */
  floorReach: 32,
  /** Distance (lines) of the lines at which noise floors are computed. Between these lines, floors are interpolated. */
  floorStride: 48,
  /** Least excess that counts for a line (natural logarithm of line over floor), so that a missing line costs at most 17 dB. */
  leastExcess: -2,
  /** Number of a family's first harmonics that count. Harmonic k has the weight 1/sqrt(k): slip smears higher harmonics. */
  harmonics: 10,
  /** Least distance of two harmonics in lines, because a lobe is four lines wide. */
  resolved: 5,
  /** How far a bearing or belt may be off its frequency, as a fraction: 2 % by slip, 1 % by a wrong speed. */
  slip: 0.03,
  /** How far a multiple of the shaft may be off its frequency, as a fraction: 1 % by a wrong speed. */
  speedError: 0.01,
  /** Number of harmonics by which the shaft is found. More harmonics place the shaft more exactly. */
  shaftHarmonics: 30,
  /** Within this fraction of a multiple of the shaft, lines are the shaft's: neither rivals nor faults beside it are sought. */
  onShaft: 0.004,
  /** Range of rivals, in multiples of a family's fundamental. It excludes 0.5, where a comb has all of the family's lines. */
  rivalsFrom: 0.6,
  rivalsTo: 2.6,
  /** The lead is the family's score minus this fraction of the best rival's score. */
  rivalWeight: 0.85,
  /** The index at a lead of 0, and what a lead of 1 adds to it: a lead of 0.43 (3.7 dB) makes the index 3.5. */
  indexWithoutLead: 2,
  indexPerLead: 1.5 / 0.43,
  /** A line is evident from this excess on (8.7 dB). With fewer than `fewestEvident` such lines, the index has this bound. */
  evident: 1,
  fewestEvident: 2,
  mostWithoutEvidence: 3.4,
  /** If a multiple of the shaft beside a family scores as much, this many harmonics must lie outside the shaft's lobes. */
  fewestOwn: 3,
  /** From this index on, a family explains its lines, so that they are no evidence for another family. */
  explains: 3.5,
  /** For other faults, the noise floor is at least this fraction (-20 dB) of the strongest fault's nearest harmonic. */
  shadow: 0.1,
  /** Families whose frequencies differ by less than this fraction count as the same one. */
  same: 0.01,
} as const;

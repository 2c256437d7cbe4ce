/** What one measurement of one round showed. */
export interface Row {
  readonly section: string;
  /** What was done, such as `300 nodes, 64 callers`. */
  readonly load: string;
  /** `service`, `floor`, or the variant that was measured. */
  readonly side: string;
  readonly round: number;
  readonly figures: Figures;
}

/**
 * Numbers by name: `perSecond`, `p50`, `p99`, `max` (ms), `failed`, `cores <part>`, `resident <part>` (bytes), and those
 * of a section's own.
 */
export type Figures = Readonly<Record<string, number>>;

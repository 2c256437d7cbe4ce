/** The documentation of a type of problem. */
export interface ProblemEntry {
  readonly status: number;
  readonly title: string;
  /** When the service answers it. */
  readonly meaning: string;
  /** What the caller can do. */
  readonly advice: string;
  /** The headers that it carries besides those of every answer. */
  readonly headers?: ReadonlyArray<string>;
  /** The meaning of its members besides the standard ones. */
  readonly members?: Readonly<Record<string, string>>;
  readonly example: {
    readonly detail: string;
    readonly instance: string;
    readonly members?: Readonly<Record<string, unknown>>;
  };
}

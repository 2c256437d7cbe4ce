import type { Batch } from '../stream/publisher';

/** Events that a node publishes by itself. */
export interface Publication extends Batch {
  /** Of a node that was begun without the search attribute: it asks whether it may keep it by now. */
  readonly seeksStatusAttribute?: true;
}

/** What a node learns that may keep the search attribute from now on. */
export interface MayKeepStatusAttribute {
  readonly newest: string;
  readonly mayKeepStatusAttribute: true;
}

export interface PublishActivities {
  /**
   * Appends the events of `publication` that the stream lacks, and returns the id of the node's newest event there; where the node asks, and the
   * cluster knows the search attribute, with that.
   */
  readonly publishEvents: (publication: Publication) => Promise<string | MayKeepStatusAttribute>;
}

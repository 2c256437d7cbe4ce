import type { Batch } from './publish-events';

/** Where events go. Adapter: a Redis stream. */
export interface Publisher {
  /**
   * Appends the events of `batch` that are newer than the last one of its node, in order and all together. A repeat does
   * no harm. Rejects when that is not known to have happened; it may have happened all the same.
   */
  readonly append: (batch: Batch) => Promise<void>;
}

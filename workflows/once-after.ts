import * as wf from '@temporalio/workflow';

/** Work that is to be done later. */
export interface Later {
  /** Has it done in a while; requests until then are part of the first. */
  readonly start: () => void;
  /** Forgets the request, if there is one. */
  readonly cancel: () => void;
}

/** Does `work` a `duration` after it was started, unless it is cancelled before. A cancel request to the workflow does not reach it. */
export const onceAfter = (duration: Parameters<typeof wf.sleep>[0], work: () => void): Later => {
  let underWay: wf.CancellationScope | undefined;
  return {
    start: () => {
      if (underWay !== undefined) return;
      void wf.CancellationScope.nonCancellable(async () => {
        const own = new wf.CancellationScope({ cancellable: true });
        underWay = own;
        try {
          await own.run(() => wf.sleep(duration));
        } catch {
          return; // cancelled
        }
        if (underWay !== own) return;
        underWay = undefined;
        work();
      });
    },
    cancel: () => {
      const cancelled = underWay;
      underWay = undefined;
      cancelled?.cancel();
    },
  };
};

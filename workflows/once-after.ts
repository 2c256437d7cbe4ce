import * as wf from '@temporalio/workflow';

/** Does `work` a `duration` after the first request; requests until then are part of it. A cancel request does not reach it. */
export const onceAfter = (duration: Parameters<typeof wf.sleep>[0], work: () => void): (() => void) => {
  let isUnderWay = false;
  return () => {
    if (isUnderWay) return;
    isUnderWay = true;
    void wf.CancellationScope.nonCancellable(() => wf.sleep(duration)).then(() => {
      isUnderWay = false;
      work();
    });
  };
};

import * as wf from '@temporalio/workflow';
import { failUnlessContinuedAsNew } from '../../../workflows/run';

/** A node with a defect: it would end, as one does whose scope is cancelled by mistake. */
export const pointAlarm = (): Promise<never> =>
  failUnlessContinuedAsNew(() => {
    const scope = new wf.CancellationScope();
    scope.cancel();
    return scope.run(() => wf.sleep('1 hour')) as Promise<never>;
  });

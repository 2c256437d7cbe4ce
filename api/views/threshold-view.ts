import { array, object } from '../../workflows/domain/codecs';
import { ThresholdView } from '../../workflows/domain/wire/threshold';

export { ThresholdView };

/** Thresholds in the order in which they were asked for. */
export const ThresholdsView = object('AlarmThresholds', { thresholds: array(ThresholdView, 10_000) }, {});

import { array, object, positive, text, uuid } from '../../workflows/domain/codecs';
import { hardLimits } from '../../workflows/domain/limits';
import { BandLimits, Edge } from '../../workflows/domain/threshold/band';
import { hal } from '../../workflows/domain/threshold/hal';
import { inspection } from '../../workflows/domain/threshold/inspection';
import { AlarmLimits } from '../../workflows/domain/threshold/limits';
import { ThresholdType } from '../../workflows/domain/threshold/threshold';

const bandView = object(
  'band alarm',
  {},
  {
    label: text(hardLimits.textLength),
    minFrequency: Edge,
    maxFrequency: Edge,
    overallAlarmThreshold: BandLimits,
  },
);

/** A threshold as GET shows it. */
export const ThresholdView = object(
  'AlarmThreshold',
  { nodeId: uuid },
  {
    thresholdType: ThresholdType,
    overall: AlarmLimits,
    rateOfChange: AlarmLimits,
    inspection: inspection(hardLimits),
    bandAlarms: array(bandView, hardLimits.bands),
    halAlarms: array(hal(hardLimits), hardLimits.hals),
    fullScale: positive,
  },
);

/** Thresholds in the order in which they were asked for. */
export const ThresholdsView = object('AlarmThresholds', { thresholds: array(ThresholdView, 10_000) }, {});

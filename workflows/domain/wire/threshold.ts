import { array, object, positive, text, uuid } from '../codecs';
import { hardLimits } from '../limits';
import { BandLimits, Edge } from '../threshold/band';
import { hal } from '../threshold/hal';
import { inspection } from '../threshold/inspection';
import { AlarmLimits } from '../threshold/limits';
import { ThresholdType } from '../threshold/threshold';

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

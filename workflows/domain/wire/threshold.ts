import { array, described, notNegative, object, positive, text, uuid } from '../codecs';
import { hardLimits, USER_ID_LENGTH } from '../limits';
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

const kinds = {
  thresholdType: ThresholdType,
  overall: AlarmLimits,
  rateOfChange: AlarmLimits,
  inspection: inspection(hardLimits),
  bandAlarms: array(bandView, hardLimits.bands),
  halAlarms: array(hal(hardLimits), hardLimits.hals),
  fullScale: positive,
};

/** A threshold as GET shows it. */
export const ThresholdView = object('AlarmThreshold', { nodeId: uuid }, kinds);

/** A threshold as its event tells it: with who set it, and when. */
export const PublishedThreshold = object(
  'PublishedThreshold',
  {
    nodeId: uuid,
    setBy: described(text(USER_ID_LENGTH), { description: 'Who set it.' }),
    setAt: described(notNegative, { type: 'integer', format: 'int64', description: 'When; epoch milliseconds.' }),
  },
  kinds,
);

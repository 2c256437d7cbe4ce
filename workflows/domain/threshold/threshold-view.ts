import { array, mapped, object, positive, text, uuid, type Codec } from '../codecs';
import { BATCH_NODES, hardLimits } from '../limits';
import { BandLimits, bandOf, Edge, wireBand } from './band';
import type { BandThresholdName } from './band-name';
import { hal } from './hal';
import { inspection } from './inspection';
import { AlarmLimits } from './limits';
import { ThresholdType } from './threshold';
import { bandView } from './view';

const thresholdOf = <B>(bandAlarm: Codec<B>) =>
  object(
    'AlarmThreshold',
    { nodeId: uuid },
    {
      thresholdType: ThresholdType,
      overall: AlarmLimits,
      rateOfChange: AlarmLimits,
      inspection: inspection(hardLimits),
      bandAlarms: array(bandAlarm, hardLimits.bands),
      halAlarms: array(hal(hardLimits), hardLimits.hals),
      fullScale: positive,
    },
  );

/** A threshold as it is read: the limits of its bands may go by either name, and are `overallAlarmThreshold` then. */
export const ThresholdView = thresholdOf(mapped(wireBand(hardLimits), (band) => bandView(bandOf(band))));

/** A threshold just as GET and the events show it, the limits of its bands under `name`. */
export const thresholdViewNaming = (name: BandThresholdName) =>
  thresholdOf(
    object(
      'band alarm',
      {},
      { label: text(hardLimits.textLength), minFrequency: Edge, maxFrequency: Edge, [name]: BandLimits },
    ),
  );

const thresholdsOf = <T>(threshold: Codec<T>) =>
  object('AlarmThresholds', { thresholds: array(threshold, BATCH_NODES) }, {});

/** Thresholds in the order in which they were asked for, as they are read. */
export const ThresholdsView = thresholdsOf(ThresholdView);

/** The same just as the batch shows them, the limits of bands under `name`. */
export const thresholdsViewNaming = (name: BandThresholdName) => thresholdsOf(thresholdViewNaming(name));

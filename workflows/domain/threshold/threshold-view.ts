import { array, described, mapped, object, uuid, type Codec, type TypeOf } from '../codecs';
import { BATCH_NODES, hardLimits } from '../limits';
import { aboutBand, bandOf, limitsNamed, wireBand, type Band, type WireBand } from './band';
import type { BandThresholdName } from './band-name';
import { kinds, type Threshold } from './threshold';

const viewOf = <B>(bandAlarm: Codec<B>) =>
  object('AlarmThreshold', { nodeId: described(uuid, 'The node, in lower case.') }, kinds(hardLimits, bandAlarm));

/** A band as GET shows it: its limits are named `overallAlarmThreshold` there. */
export type BandView = Omit<WireBand, 'overallThreshold'>;

/** `band` in GET's shape. */
export const bandView = ({ overallThreshold, ...band }: Band): BandView => ({
  ...band,
  ...(overallThreshold !== undefined && { overallAlarmThreshold: overallThreshold }),
});

/** A threshold as it is read: the limits of its bands may go by either name, and are `overallAlarmThreshold` then. */
export const ThresholdView = viewOf(mapped(wireBand(hardLimits), (band) => bandView(bandOf(band))));
export type ThresholdView = TypeOf<typeof ThresholdView>;

/** `threshold` of the node `nodeId` in GET's shape. */
export const thresholdView = (nodeId: string, { bandAlarms, ...threshold }: Threshold): ThresholdView => ({
  nodeId,
  ...threshold,
  ...(bandAlarms !== undefined && { bandAlarms: bandAlarms.map(bandView) }),
});

/** A threshold just as GET and the events show it, the limits of its bands under `name`. */
export const thresholdViewNaming = (name: BandThresholdName) =>
  viewOf(object('band alarm', {}, { ...aboutBand(hardLimits), ...limitsNamed(name) }));

const thresholdsOf = <T>(threshold: Codec<T>) =>
  object(
    'AlarmThresholds',
    { thresholds: described(array(threshold, BATCH_NODES), 'In the order and number of `nodeIDs`.') },
    {},
  );

/** Thresholds in the order in which they were asked for, as they are read. */
export const ThresholdsView = thresholdsOf(ThresholdView);

/** The same just as the batch shows them, the limits of bands under `name`. */
export const thresholdsViewNaming = (name: BandThresholdName) => thresholdsOf(thresholdViewNaming(name));

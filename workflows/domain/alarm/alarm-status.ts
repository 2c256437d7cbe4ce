import * as c from '../codecs';
import { hardLimits } from '../limits';
import { edges } from '../threshold/band';
import type { Threshold } from '../threshold/threshold';
import { statusFields, ExternalPart, bandPartFields, halPartFields, Part, type Parts } from './parts';
import { Status, statusMeanings } from './status';

const label = c.described(c.text(hardLimits.textLength), "The alarm's label in the threshold.");

const bandAlarm = c.object('BandAlarmStatus', statusFields, { ...bandPartFields, label, ...edges });
const halAlarm = c.object('HalAlarmStatus', { ...statusFields, label }, halPartFields);

/** The alarms that a node may have, under the names that GET and the events use. */
export const partFields = {
  overallAlarm: c.described(
    Part,
    'The overall alarm: a data point by the limits of `overall`. It is the last to arrive or, since a recalculation or a new threshold, the newest by `createdAt`.',
  ),
  rateOfChangeAlarm: c.described(
    Part,
    'The rate of change that came with a measurement, by the limits of `rateOfChange`.',
  ),
  inspectionAlarm: c.described(Part, 'The worst status among the choices that were answered.'),
  externalAlarm: c.described(ExternalPart, 'The alarm that a caller set; no measurement changes it.'),
  bandAlarms: c.described(c.array(bandAlarm, hardLimits.bands), 'One for each band of the threshold, in its order.'),
  halAlarms: c.described(c.array(halAlarm, hardLimits.hals), 'One for each HAL of the threshold, in its order.'),
};

export const updatedAt = c.described(
  c.wholeNumber,
  'When the status was last updated: epoch milliseconds, UTC; 0: never.',
);

export const worstStatus = c.described(Status, `The worst of the parts: ${statusMeanings}.`);

export const AlarmStatusView = c.object(
  'AlarmStatus',
  { nodeId: c.described(c.uuid, 'The node, in lower case.'), updatedAt, status: worstStatus },
  partFields,
);
export type AlarmStatusView = c.TypeOf<typeof AlarmStatusView>;

/** The alarms that a node has, as GET and the events show them. */
export type PartsView = Omit<AlarmStatusView, 'nodeId' | 'updatedAt' | 'status'>;

/** `parts` as GET and the events show them: by position, bands get label and edges from the threshold, and HALs the label. */
export const partsView = ({ bandAlarms = [], halAlarms = [] }: Threshold, parts: Parts): PartsView => {
  const { overall, rateOfChange, inspection, external, bands = [], hals = [] } = parts;
  return {
    ...(overall !== undefined && { overallAlarm: overall }),
    ...(rateOfChange !== undefined && { rateOfChangeAlarm: rateOfChange }),
    ...(inspection !== undefined && { inspectionAlarm: inspection }),
    ...(external !== undefined && { externalAlarm: external }),
    ...(bands.length > 0 && {
      bandAlarms: bandAlarms.flatMap(({ overallAlarmThreshold: _, ...band }, index) => {
        const part = bands[index];
        return part === undefined ? [] : [{ ...part, ...band }];
      }),
    }),
    ...(hals.length > 0 && {
      halAlarms: halAlarms.flatMap(({ label: name }, index) => {
        const part = hals[index];
        return part === undefined ? [] : [{ ...part, label: name }];
      }),
    }),
  };
};

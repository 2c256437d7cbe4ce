import { array, notNegative, object, text, uuid, type TypeOf } from '../codecs';
import { hardLimits } from '../limits';
import { Edge } from '../threshold/band';
import type { Threshold } from '../threshold/threshold';
import { always, ExternalPart, ofBand, ofHal, Part, type Parts } from './parts';
import { Status } from './status';

const label = text(hardLimits.textLength);

const bandAlarm = object('alarm of a band', always, { ...ofBand, label, minFrequency: Edge, maxFrequency: Edge });
const halAlarm = object('alarm of a HAL', { ...always, label }, ofHal);

/** The parts that a node may hold, by the names under which GET and the events show them. */
export const partFields = {
  overallAlarm: Part,
  rateOfChangeAlarm: Part,
  inspectionAlarm: Part,
  externalAlarm: ExternalPart,
  bandAlarms: array(bandAlarm, hardLimits.bands),
  halAlarms: array(halAlarm, hardLimits.hals),
};

/** The alarm status of a node, with every part that it holds. `updatedAt` is epoch milliseconds. */
export const AlarmStatusView = object(
  'AlarmStatus',
  { nodeId: uuid, updatedAt: notNegative, status: Status },
  partFields,
);
export type AlarmStatusView = TypeOf<typeof AlarmStatusView>;

/** The parts that a node holds, as GET and the events show them. */
export type PartsView = Omit<AlarmStatusView, 'nodeId' | 'updatedAt' | 'status'>;

/** `parts` as they are shown: bands and HALs with the threshold's members at their position. */
export const partsView = ({ bandAlarms = [], halAlarms = [] }: Threshold, parts: Parts): PartsView => {
  const { overall, rateOfChange, inspection, external, bands = [], hals = [] } = parts;
  return {
    ...(overall !== undefined && { overallAlarm: overall }),
    ...(rateOfChange !== undefined && { rateOfChangeAlarm: rateOfChange }),
    ...(inspection !== undefined && { inspectionAlarm: inspection }),
    ...(external !== undefined && { externalAlarm: external }),
    ...(bands.length > 0 && {
      bandAlarms: bandAlarms.flatMap(({ overallThreshold: _, ...band }, index) => {
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

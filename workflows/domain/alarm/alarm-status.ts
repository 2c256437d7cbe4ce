import { array, notNegative, object, text, uuid } from '../codecs';
import { hardLimits } from '../limits';
import { always, bandResult, ExternalPart, halResult, RatedPart } from './part-codecs';
import { Status } from './status';
import { Edge } from '../threshold/band';

const label = text(hardLimits.textLength);

const bandAlarm = object('alarm of a band', always, { ...bandResult, label, minFrequency: Edge, maxFrequency: Edge });
const halAlarm = object('alarm of a HAL', { ...always, label }, halResult);

/** The parts that a node may hold, by the names under which GET and the events show them. */
export const partFields = {
  overallAlarm: RatedPart,
  rateOfChangeAlarm: RatedPart,
  inspectionAlarm: RatedPart,
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

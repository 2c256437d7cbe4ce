import { array, finite, notNegative, object, text, uuid } from '../codecs';
import { hardLimits, UNIT_LENGTH } from '../limits';
import { Status } from '../status';
import { Edge } from '../threshold/band';

const part = { status: Status };
const trigger = { triggeringMeasurement: uuid };
const label = text(hardLimits.textLength);

const ratedAlarm = object('alarm', part, trigger);
const externalAlarm = object('external alarm', part, { setBy: uuid });
const calculatedOverall = object('calculated overall', { value: finite, unit: text(UNIT_LENGTH) }, {});
const bandAlarm = object('alarm of a band', part, {
  ...trigger,
  label,
  minFrequency: Edge,
  maxFrequency: Edge,
  calculatedOverall,
});
const halAlarm = object(
  'alarm of a HAL',
  { ...part, label },
  {
    ...trigger,
    faultFrequency: finite,
    halIndex: finite,
    numberOfHarmonicsUsed: notNegative,
    rpmFactor: finite,
    errorDescription: text(hardLimits.textLength),
  },
);

/** The parts that a node may hold, by the names under which GET and the events show them. */
export const partFields = {
  overallAlarm: ratedAlarm,
  rateOfChangeAlarm: ratedAlarm,
  inspectionAlarm: ratedAlarm,
  externalAlarm,
  bandAlarms: array(bandAlarm, hardLimits.bands),
  halAlarms: array(halAlarm, hardLimits.hals),
};

/** The alarm status of a node, with every part that it holds. `updatedAt` is epoch milliseconds. */
export const AlarmStatusView = object(
  'AlarmStatus',
  { nodeId: uuid, updatedAt: notNegative, status: Status },
  partFields,
);

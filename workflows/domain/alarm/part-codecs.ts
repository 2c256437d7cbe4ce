import { finite, notNegative, object, text, uuid } from '../codecs';
import { DESCRIPTION_LENGTH, UNIT_LENGTH } from '../limits';
import { Status } from './status';

/** The members of a part: those that it always has, and those that it may have. */
export const always = { status: Status };
const measured = { triggeringMeasurement: uuid };

/** Members that a measurement gives to a band's part; a node carries just these, GET and the events add the threshold's. */
export const bandResult = {
  ...measured,
  calculatedOverall: object('calculated overall', { value: finite, unit: text(UNIT_LENGTH) }, {}),
};

/** Members that a measurement gives to a HAL's part. Frequency in Hz, factor in multiples of shaft speed. */
export const halResult = {
  ...measured,
  faultFrequency: finite,
  halIndex: finite,
  numberOfHarmonicsUsed: notNegative,
  rpmFactor: finite,
  errorDescription: text(DESCRIPTION_LENGTH),
};

/** The part of an overall, a rate-of-change or an inspection alarm. */
export const RatedPart = object('alarm', always, measured);

/** The external part. */
export const ExternalPart = object('external alarm', always, { setBy: uuid });

import type { TypeOf } from '../workflows/domain/codecs';
import type { MeasurementInput as Measurement } from '../workflows/domain/measurement/measurement';
import type { WireSpectrum } from '../workflows/domain/measurement/spectrum';
import type { ThresholdInput as ThresholdOfPut } from '../workflows/domain/threshold/threshold';
import type { AlarmStatusView } from '../workflows/domain/alarm/alarm-status';
import type { ThresholdView } from '../workflows/domain/threshold/threshold-view';

/** A threshold as read. */
export type Threshold = TypeOf<typeof ThresholdView>;

/** A threshold to set; one that was read is valid. */
export type ThresholdInput = ThresholdOfPut | Threshold;

/** The alarm status of a node. */
export type AlarmStatus = TypeOf<typeof AlarmStatusView>;

/** A measurement; the lines of a spectrum are coordinates whose x rises. */
export type MeasurementInput =
  | Exclude<Measurement, { readonly contentType: 'SPECTRUM' }>
  | (Omit<Extract<Measurement, { readonly contentType: 'SPECTRUM' }>, 'spectrum'> & {
      readonly spectrum: WireSpectrum;
    });

/** An external alarm. */
export type ExternalAlarm = NonNullable<AlarmStatus['externalAlarm']>;

export type { PatchOperation } from '../workflows/domain/threshold/patch/operations';

/** An unvalidated document, such as a file's: the service validates it. */
export interface Unjudged {
  readonly [unjudgedBrand]: true;
}

declare const unjudgedBrand: unique symbol;

/** Lets `document`, JSON of whatever shape, be sent as it is. */
export const unjudged = (document: unknown): Unjudged => document as Unjudged;

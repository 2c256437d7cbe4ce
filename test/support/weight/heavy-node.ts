import { randomUUID } from 'node:crypto';
import { hardLimits } from '../../../workflows/domain/limits';

/** A hundred bearings of an operator's file, no two alike. */
export const bearings = Array.from({ length: hardLimits.hals }, (_, index) => ({
  manufacturer: 'Own',
  modelNumber: `B${index}`,
  geometry: { elements: 7 + (index % 13), elementDiameter: 10 + index / 50, pitchDiameter: 60 + index / 10 },
}));

/** Bands as wide as the spectrum, each with limits. */
const bandAlarms = Array.from({ length: hardLimits.bands }, (_, index) => ({
  label: `band ${index}`,
  minFrequency: { value: index / 4, valueType: 1 },
  maxFrequency: { value: 400 + index, valueType: 1 },
  overallThreshold: { upperAlert: { value: 1_000, valueType: 1 }, upperDanger: { value: 2_000, valueType: 1 } },
}));
const halAlarms = bearings.map(({ manufacturer, modelNumber }, index) => ({
  label: ['BPFO', 'BPFI', 'BSF', 'FTF'][index % 4],
  bearing: { manufacturer, modelNumber },
  upperAlert: 50,
}));

/** The heaviest thresholds, without and with HALs. */
export const heavyThresholds = { bands: { bandAlarms }, 'bands and HALs': { bandAlarms, halAlarms } };

const SPEED = 30;
const STEP_HZ = 1 / 32;
/** Lines from one turn of the shaft to the next. */
const COMB = SPEED / 60 / STEP_HZ;

/** A spectrum at 30 rpm, in which all multiples of the shaft's speed stand out; none is like another. */
export const heavySpectrum = (lines: number = hardLimits.spectrumLines) => ({
  measurementId: randomUUID(),
  createdAt: new Date().toISOString(),
  contentType: 'SPECTRUM',
  spectrum: {
    speed: SPEED,
    xUnit: 'Hz',
    yUnit: 'g',
    windowFunction: 'hann',
    coordinates: Array.from({ length: lines }, (_, index) => ({
      x: index * STEP_HZ,
      y: Number((index % COMB === 0 ? 5 + Math.random() : 0.01 * Math.random()).toPrecision(5)),
    })),
  },
});

import { isRecord } from '../../workflows/domain/codecs';
import { hardLimits } from '../../workflows/domain/limits';

/** A heavy node at the limits: 100 bands as wide as the spectrum, 100 HALs of as many bearings, and 25,600 lines. */
const orders = Array.from({ length: hardLimits.hals }, (_, index) => {
  const elements = 7 + (index % 13);
  const ratio = (10 + index / 50) / (60 + index / 10);
  return {
    ftf: (1 - ratio) / 2,
    bsf: (1 - ratio ** 2) / (2 * ratio),
    bpfo: (elements * (1 - ratio)) / 2,
    bpfi: (elements * (1 + ratio)) / 2,
  };
});
export const ownBearings = orders.map((of, index) => ({ manufacturer: 'Own', modelNumber: `B${index}`, orders: of }));

const bandAlarms = Array.from({ length: hardLimits.bands }, (_, index) => ({
  label: `band ${index}`,
  minFrequency: { value: index / 4, valueType: 1 },
  maxFrequency: { value: 400 + index, valueType: 1 },
  overallThreshold: { upperAlert: { value: 1_000, valueType: 1 }, upperDanger: { value: 2_000, valueType: 1 } },
}));

const halAlarms = ownBearings.map(({ manufacturer, modelNumber }, index) => ({
  label: ['BPFO', 'BPFI', 'BSF', 'FTF'][index % 4],
  bearing: { manufacturer, modelNumber },
  upperAlert: 50,
}));

export const heavyThreshold = { threshold: { bandAlarms, halAlarms }, bearings: ownBearings };

/** The shaft's speed (rpm), and the lines of a machine that turns so, up to 1,600 Hz; every multiple of the shaft stands out. */
const SPEED = 1_500;
export const heavyLines = (lines: number = hardLimits.spectrumLines) =>
  Array.from({ length: lines }, (_, index) => ({
    x: index / 16,
    y: index % 400 === 0 ? 5 : 0.01 + (index % 7) / 1_000,
  }));

export const spectrumOf = (lines: unknown, speed = SPEED) => ({
  contentType: 'SPECTRUM',
  spectrum: { speed, xUnit: 'Hz', yUnit: 'g', windowFunction: 'hann', ...(lines as object) },
});

const about = {
  measurementId: '3b241101-e2bb-4255-8caf-4136c566a962',
  createdAt: '2026-01-31T10:00:00.000Z',
};
const userId = '0e5a7c9b-1d2f-4a3b-8c4d-5e6f7a8b9c0d';

/** A measurement as callers send it, of this content. */
export const measurementOf = (content: unknown): unknown => (isRecord(content) ? { ...about, ...content } : content);

/** The command `name` as JSON; a payload may leave out who sends it, and what every measurement has. */
export const commandOf = (name: string, payload: unknown): string => {
  const { measurement, ...members } = payload as Readonly<Record<string, unknown>>;
  return JSON.stringify({
    ...{ name, userId, ...members },
    ...(measurement !== undefined && { measurement: measurementOf(measurement) }),
  });
};

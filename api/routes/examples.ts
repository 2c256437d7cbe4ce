import type { BandThresholdName } from '../../workflows/domain/threshold/band';

/** Examples for the OpenAPI document. In a test, a node gets the example bodies and must give the example answers. */
const nodeId = '6f9f0a6e-3c0b-4c55-9d0e-2b1c5a7f8d01';
const otherNodeId = '7a0c4e1b-95d2-4f38-8b6a-1c3d5e7f9a02';
const measurementId = '0d1d5b0c-58b7-4b5b-8a53-6a3c3d0f4c11';

const overall = { unit: 'mm/s', outerHigh: 11.2, innerHigh: 7.1 };
const band = {
  label: '1x',
  minFrequency: { value: 0.8, valueType: 2 },
  maxFrequency: { value: 1.2, valueType: 2 },
};
const bandLimits = {
  unit: 'mm/s',
  upperAlert: { value: 2.8, valueType: 1 },
  upperDanger: { value: 4.5, valueType: 1 },
};
const hal = {
  label: 'BPFO',
  halAlarmType: 'FREQUENCY',
  bearing: { manufacturer: 'SKF', modelNumber: '6205' },
  upperAlert: 3.5,
  upperDanger: 5,
};

export const thresholdExamples = {
  overall: { thresholdType: 2, overall },
  inspection: {
    thresholdType: 3,
    inspection: {
      choices: [
        { answer: 'Clean', instruction: 'Go on.', status: 2 },
        { answer: 'Some oil', instruction: 'Look again tomorrow.', status: 3 },
        { answer: 'Leaking', instruction: 'Stop the machine.', status: 4 },
      ],
    },
  },
  rateOfChange: { rateOfChange: { unit: 'mm/s', outerHigh: 2, innerHigh: 1, innerLow: -1, outerLow: -2 } },
  bandAlarms: { bandAlarms: [{ ...band, overallAlarmThreshold: bandLimits }] },
  halAlarms: { halAlarms: [hal] },
};

export const thresholdShown = { nodeId, thresholdType: 2, overall };
export const thresholdsShown = (bandThresholdName: BandThresholdName) => ({
  thresholds: [thresholdShown, { nodeId: otherNodeId, bandAlarms: [{ ...band, [bandThresholdName]: bandLimits }] }],
});

export const patchExample = [
  { op: 'test', path: '/overall/innerHigh', value: 7.1 },
  { op: 'replace', path: '/overall/innerHigh', value: 6.3 },
];
export const thresholdPatched = { ...thresholdShown, overall: { ...overall, innerHigh: 6.3 } };

export const batchExample = { nodeIDs: [nodeId, otherNodeId] };

const about = { measurementId, createdAt: '2026-01-31T10:00:00.000Z' };
export const measurementExamples = {
  dataPoint: {
    ...about,
    contentType: 'DATA_POINT',
    dataPoint: { coordinate: { x: 1, y: 5.2 }, xUnit: 's', yUnit: 'mm/s' },
  },
  spectrum: {
    ...about,
    contentType: 'SPECTRUM',
    spectrum: {
      speed: 1480,
      xUnit: 'Hz',
      yUnit: 'mm/s',
      windowFunction: 'hann',
      coordinates: [
        { x: 0, y: 0.01 },
        { x: 12.5, y: 0.4 },
        { x: 25, y: 2.1 },
      ],
    },
  },
  questionAnswers: { ...about, contentType: 'QUESTION_ANSWERS', questionAnswers: ['Some oil'] },
};

export const externalAlarmExamples = {
  setBySomebody: { status: 3, setBy: '7d444840-9dc0-41d1-b245-5ffdce74fad2' },
  setByNobody: { status: 2 },
};

export const alarmStatusShown = {
  nodeId,
  updatedAt: 1769853600000,
  status: 3,
  inspectionAlarm: { status: 3, triggeringMeasurement: measurementId },
  externalAlarm: { status: 3, setBy: '7d444840-9dc0-41d1-b245-5ffdce74fad2' },
};

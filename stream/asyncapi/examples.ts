import type { EventType, StreamEvent } from '../../workflows/domain/node/events';

const nodeId = '8c6dbe2b-8f32-4eb6-9d0f-2a1f3d0b7c11';
const about = { aggregateId: nodeId, userId: 'd3a7c1f0-5b1e-4c52-9a64-1f0c7e2b8d90' };
const measurement = '3b241101-e2bb-4255-8caf-4136c566a962';

/** An event of each type, its payload. */
export const examples: { readonly [T in EventType]: Omit<Extract<StreamEvent, { readonly type: T }>, 'type'> } = {
  PointAlarmStatusEvent: {
    ...about,
    sequenceId: '01KG9QXGC0E8A1QJ5W3C9Z7T4R',
    requestId: '01KG9QXGB44B9S3M7X0T5Q8W2E',
    updatedAt: 1_769_853_600_128,
    alarmStatus: 4,
    alarmsChanged: true,
    overallAlarm: { status: 4, triggeringMeasurement: measurement },
    externalAlarm: { status: 3 },
    bandAlarms: [
      {
        status: 2,
        triggeringMeasurement: measurement,
        label: 'low',
        minFrequency: { value: 10, valueType: 1 },
        maxFrequency: { value: 100, valueType: 1 },
        calculatedOverall: { value: 1.7, unit: 'mm/s' },
      },
    ],
  },
  SetPointAlarmThresholdEvent: {
    ...about,
    sequenceId: '01KG9QX6FMN5V4TZ8Y2J6R1D3K',
    requestId: '01KG9QX6FG7C2D5R9K1H4V8N6P',
    updatedAt: 1_769_853_590_004,
    revision: 3,
    thresholdType: 2,
    threshold: {
      nodeId,
      thresholdType: 2,
      overall: { unit: 'C', outerHigh: 70, innerHigh: 55, innerLow: 20, outerLow: 10 },
    },
    origin: { id: '42', type: 'template', provider: 'planner' },
  },
};

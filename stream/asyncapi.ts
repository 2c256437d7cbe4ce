import { answerSchema, type NamedSchemas } from '../process/named-schemas';
import { VERSION } from '../process/version';
import type { JsonSchema } from '../workflows/domain/codecs';
import { eventCodecsNaming, EventType, type StreamEvent } from '../workflows/domain/node/events';
import type { BandThresholdName } from '../workflows/domain/threshold/band';
import { fieldsSchema, type EntryNames } from './entry';

/** The AsyncAPI document (3.0) of the stream. Its payload schemas come from the codecs with which our consumers decode. */
export const asyncApiDocument = ({
  stream,
  attributePrefix,
  bandThresholdName,
}: EntryNames & { readonly stream: string }): JsonSchema => ({
  asyncapi: '3.0.0',
  info: {
    title: 'Point Alarm Service: events',
    version: VERSION,
    description: DESCRIPTION,
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
  },
  defaultContentType: 'application/json',
  servers: {
    redis: {
      host: '127.0.0.1:6379',
      protocol: 'redis',
      description: 'Redis as npm start brings it up; REDIS_URL.',
      security,
    },
  },
  channels: {
    events: {
      address: stream,
      title: 'The event stream',
      description:
        'One Redis stream for all nodes; EVENT_STREAM. Read by XREAD or, with a consumer group, by XREADGROUP.',
      servers: [{ $ref: '#/servers/redis' }],
      messages: Object.fromEntries(types.map((type) => [type, { $ref: `#/components/messages/${type}` }])),
      bindings: { redis: {} },
    },
  },
  operations: {
    publishEvents: {
      action: 'send',
      title: 'The service publishes',
      description: 'After a change was committed: XADD, one entry an event, in the order of its node.',
      channel: { $ref: '#/channels/events' },
      messages: types.map((type) => ({ $ref: `#/channels/events/messages/${type}` })),
      security,
      bindings: { redis: {} },
    },
  },
  components: {
    securitySchemes: { password: { type: 'userPassword', description: 'Where Redis wants one; part of REDIS_URL.' } },
    messages: Object.fromEntries(types.map((type) => [type, messageOf(type, attributePrefix)])),
    schemas: schemasOf(bandThresholdName),
  },
});

const schemasOf = (bandThresholdName: BandThresholdName): NamedSchemas => {
  const named: NamedSchemas = {};
  for (const { schema } of Object.values(eventCodecsNaming(bandThresholdName))) answerSchema(schema, named);
  return named;
};

const security = [{ $ref: '#/components/securitySchemes/password' }];

const DESCRIPTION = [
  "Each entry of the stream holds one event. The fields of an entry, all of them text, are the message's headers; its field `data` is the message's payload, JSON in UTF-8.",
  'The events of a node are in the order of their `sequenceId`, each once. docs/guarantees.md has the exceptions, and docs/events.md says what a consumer must do.',
  'Later releases may add fields, members and types of events: ignore those that you do not know. But an unknown member with a `status`, or a list of such members, is a new part: report its alarm.',
].join(' ');

const summaries: Readonly<Record<EventType, string>> = {
  PointAlarmStatusEvent: 'The alarm status of a node was updated.',
  SetPointAlarmThresholdEvent: 'The threshold of a node was set or modified.',
};
const types = Object.keys(summaries).filter(EventType.is);

const messageOf = (type: EventType, attributePrefix: string): JsonSchema => ({
  name: type,
  title: type,
  summary: summaries[type],
  contentType: 'application/json',
  headers: fieldsSchema(type, attributePrefix),
  payload: { $ref: `#/components/schemas/${type}` },
  correlationId: { description: 'The node.', location: '$message.payload#/aggregateId' },
  bindings: { redis: {} },
  examples: examples[type].map((payload) => ({ name: type, payload })),
});

const nodeId = '8c6dbe2b-8f32-4eb6-9d0f-2a1f3d0b7c11';
const triggeringMeasurement = '5f0c2e1a-77b3-4c1e-9d55-0b8f6a4e2c91';
const about = { aggregateId: nodeId, userId: 'd3a7c1f0-5b1e-4c52-9a64-1f0c7e2b8d90' };

/** Example payloads. The second status event is that of docs/examples/outer-race.json, with one of four harmonic alarms. */
export const examples: {
  readonly [T in EventType]: ReadonlyArray<Omit<Extract<StreamEvent, { readonly type: T }>, 'type'>>;
} = {
  PointAlarmStatusEvent: [
    {
      ...about,
      sequenceId: '01KG9QXGC0E8A1QJ5W3C9Z7T4R',
      requestId: 'q3vJx0bT9sLkE2aM',
      updatedAt: 1_769_853_600_128,
      alarmStatus: 4,
      alarmsChanged: true,
      measurementId: '3b241101-e2bb-4255-8caf-4136c566a962',
      overallAlarm: { status: 4, triggeringMeasurement: '3b241101-e2bb-4255-8caf-4136c566a962' },
    },
    {
      aggregateId: 'b1f6a2d4-0c35-4e8a-9c77-5d1e2f3a4b6c',
      userId: about.userId,
      sequenceId: '01KG9QXH78Q50BG8R0ZXR7D980',
      updatedAt: 1_769_853_601_000,
      alarmStatus: 4,
      alarmsChanged: true,
      measurementId: triggeringMeasurement,
      bandAlarms: [
        {
          status: 2,
          triggeringMeasurement,
          calculatedOverall: { value: 0.351034604297909, unit: 'g' },
          label: '2x to 10x',
          minFrequency: { value: 2, valueType: 2 },
          maxFrequency: { value: 10, valueType: 2 },
        },
      ],
      halAlarms: [
        {
          status: 4,
          triggeringMeasurement,
          faultFrequency: 106.34834092387769,
          halIndex: 5.627506544771151,
          numberOfHarmonicsUsed: 9,
          rpmFactor: 3.584775536759922,
          label: 'BPFO',
        },
      ],
    },
  ],
  SetPointAlarmThresholdEvent: [
    {
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
  ],
};

import * as E from 'fp-ts/Either';
import { beforeAll, describe, expect, test } from 'vitest';
import { problemTypes, ProblemView } from '../../api/contract/problems/catalogue';
import { problemExample } from '../../api/contract/problems/problem';
import { call } from '../support/api/call';
import { isRecord } from '../../workflows/domain/codecs';
import { routeOf } from '../support/api/expect-documented';
import { startApi } from '../support/api/start-api';
import { answers } from '../support/measurements';
import { forFile } from '../support/for-file';
import { schemaValidator } from '../support/schema-validator';

type Content = { readonly schema: object; readonly example?: unknown; readonly examples?: object };
type Message = { readonly description?: string; readonly content?: Readonly<Record<string, Content>> };
interface Operation {
  readonly operationId: string;
  readonly security?: ReadonlyArray<unknown>;
  readonly parameters?: ReadonlyArray<{ readonly $ref?: string }>;
  readonly requestBody?: Message;
  readonly responses: Readonly<Record<string, Message>>;
}
interface Document {
  readonly openapi: string;
  readonly security: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const api = forFile(startApi, ({ close }) => close());
let document: Document;
beforeAll(async () => {
  document = (await call(api, { method: 'GET', path: '/openapi.json', user: null })).json as Document;
});

describe('the OpenAPI document', () => {
  test('has every route at its path and method, with every status', () => {
    expect(document.openapi).toBe('3.1.0');
    for (const { id, path, method, answers } of api.routes) {
      const operation = document.paths[path.replace(':nodeId', '{nodeId}')]?.[method.toLowerCase()];
      expect(operation?.operationId).toBe(id);
      expect(Object.keys(operation?.responses ?? {})).toEqual([...Object.keys(answers), 'default']);
      expect(operation?.security).toBeUndefined();
    }
  });

  test('says which calls take a key, and which a precondition', () => {
    const taking = (name: string): ReadonlyArray<string> =>
      Object.values(document.paths)
        .flatMap((path) => Object.values(path))
        .filter(({ parameters = [] }) => parameters.some(({ $ref }) => $ref?.endsWith(`/${name}`) === true))
        .map(({ operationId }) => operationId);
    expect(taking('idempotencyKey')).toEqual([
      'setThreshold',
      'patchThreshold',
      'updateAlarmStatus',
      'setExternalAlarm',
    ]);
    expect(taking('ifMatch')).toEqual(['setThreshold', 'patchThreshold']);
    expect(taking('ifNoneMatch')).toEqual(['setThreshold', 'patchThreshold', 'getThreshold']);
  });

  test('refers to nothing that is not there, and has nothing that nobody refers to', () => {
    const references = new Set(JSON.stringify(document).match(/#\/components\/\w+\/[\w-]+/gu));
    const there = Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, members]) => Object.keys(members).map((name) => `#/components/${kind}/${name}`));
    expect([...references].sort()).toEqual(there.sort());
  });

  test('has examples that are what they show', () => {
    for (const route of api.routes) {
      for (const [name, example] of Object.entries(route.body?.examples ?? {})) {
        const accepted = route.accept(route._tag === 'Batch' ? { nodeIDs: [] } : example);
        expect(accepted, `${route.id} ${name}`).toSatisfy(E.isRight);
      }
      for (const { codec, example } of Object.values(route.answers)) {
        if (codec !== undefined && example !== undefined) expect(codec.decode(example)).toSatisfy(E.isRight);
      }
    }
  });

  test('has an example of every body and answer that is JSON or plain text, and of every type of problem', () => {
    for (const { operationId, requestBody = {}, responses } of Object.values(document.paths).flatMap(Object.values)) {
      for (const [status, { content = {} }] of Object.entries<Message>({ body: requestBody, ...responses })) {
        for (const [mediaType, { example, examples = {} }] of Object.entries(content)) {
          const isShown = example !== undefined || Object.keys(examples).length > 0;
          expect(isShown || !/json|plain/u.test(mediaType), `${operationId} ${status}`).toBe(true);
        }
      }
    }
    for (const type of problemTypes) {
      expect(document.components['examples']).toHaveProperty(type);
      expect(ProblemView.decode(problemExample(type))).toSatisfy(E.isRight);
    }
  });

  test('wants a token of every route, by one scheme, and none of the others', () => {
    expect(document.security).toEqual([{ token: [] }]);
    expect(document.components['securitySchemes']).toMatchObject({ token: { type: 'http', scheme: 'bearer' } });
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const { security } of Object.values(operations)) {
        expect(security, path).toEqual(path.startsWith('/v1/') ? undefined : []);
      }
    }
  });

  const band = (limits: object): object => ({ bandAlarms: [limits] });

  /** Rules of the codecs themselves: the property on JSON Schema. Here, what a body may have besides: null, and the other bodies. */
  test.each<[id: string, body: unknown, isTaken: boolean]>([
    ['setThreshold', { thresholdType: 1, overall: null }, false],
    ['setThreshold', { thresholdType: null, overall: {} }, false],
    ['setThreshold', { overall: null, nodeId: null, origin: null, bandAlarms: null, fullScale: null }, true],
    ['setThreshold', { thresholdType: 3, inspection: { choices: [] }, rateOfChange: { unit: null } }, true],
    ['setThreshold', { inspection: { choices: null } }, false],
    ['setThreshold', band({ overallThreshold: {}, overallAlarmThreshold: null, minFrequency: null }), true],
    ['setThreshold', { halAlarms: [{ label: '😀'.repeat(1_024), halAlarmType: null }] }, true],
    ['setThreshold', { halAlarms: [{ label: '😀'.repeat(1_025) }] }, false],
    ['patchThreshold', [{ op: 'add', path: '' }], false],
    ['patchThreshold', [{ op: 'add', path: '', value: null, from: 5, more: true }], true],
    ['patchThreshold', [{ op: 'move', path: '/a' }], false],
    ['patchThreshold', [{ op: 'move', path: '/a', from: '/b', value: 1 }], true],
    ['patchThreshold', [{ op: 'remove', path: '/a', from: 'no pointer' }], true],
    ['patchThreshold', [{ op: 'other', path: '/a' }], false],
    ['updateAlarmStatus', answers([], { dataPoint: null, spectrum: null, tags: null }), true],
    ['updateAlarmStatus', answers([], { questionAnswers: null }), false],
    ['setExternalAlarm', { status: 2, setBy: null }, true],
    ['setExternalAlarm', { status: null }, false],
    ['getThresholds', { nodeIDs: null }, false],
  ])('says of a body of %s what the service does: %j', (id, body, isTaken) => {
    const route = routeOf(api.routes, id);
    const path = document.paths[route.path.replace(':nodeId', '{nodeId}')];
    const described = path?.[route.method.toLowerCase()]?.requestBody;
    expect(described?.description).toBe(route.body?.description);
    const { schema } = described?.content?.[route.body?.mediaType ?? ''] ?? {};
    const isAllowed = schemaValidator().compile({ ...schema, components: document.components })(body);
    expect([isAllowed, E.isRight(route.accept(body) as E.Either<unknown, unknown>)]).toEqual([isTaken, isTaken]);
  });

  test('has one schema for each title, and closes those of bodies alone', () => {
    const codecs = api.routes.flatMap(({ answers }) => Object.values(answers)).flatMap(({ codec }) => codec ?? []);
    const bodies = api.routes.flatMap(({ body }) => body?.schema ?? []);
    for (const schemas of [codecs.map(({ schema }) => schema), bodies]) {
      const named = new Map<string, string>();
      JSON.stringify(schemas, (_, one: unknown) => {
        const { title, description: __, ...schema } = isRecord(one) ? one : {};
        if (typeof title !== 'string') return one;
        const text = JSON.stringify(schema);
        expect(named.get(title) ?? text, title).toBe(text);
        named.set(title, text);
        return one;
      });
    }
    for (const [name, schema] of Object.entries(document.components['schemas'] ?? {}))
      expect(JSON.stringify(schema).includes('"additionalProperties":false'), name).toBe(name.endsWith('Input'));
  });

  test('has limits as they are set', () => {
    const { AlarmThresholdBatchInput: batch } = document.components['schemas'] ?? {};
    expect(batch).toMatchObject({ properties: { nodeIDs: { maxItems: 1_000, items: { format: 'uuid' } } } });
  });
});

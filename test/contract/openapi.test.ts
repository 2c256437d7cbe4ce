import * as E from 'fp-ts/Either';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemTypes } from '../../api/http/problems/catalogue';
import { problemExample } from '../../api/http/problems/problem';
import { ProblemView } from '../../api/http/problems/problem-view';
import { call } from '../support/api/call';
import { startApi, type Api } from '../support/api/start-api';

interface Message {
  readonly content?: Readonly<Record<string, { readonly example?: unknown; readonly examples?: object }>>;
}
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

let api: Api;
let document: Document;
beforeAll(async () => {
  api = await startApi();
  document = (await call(api, { method: 'GET', path: '/openapi.json', user: null })).json as Document;
});
afterAll(() => api.close());

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

  test('has limits as they are set', () => {
    const { AlarmThresholdBatch: batch } = document.components['schemas'] ?? {};
    expect(batch).toMatchObject({ properties: { nodeIDs: { maxItems: 1_000, items: { format: 'uuid' } } } });
  });
});

import type { OpenRoute } from '../../http/open/open-route';
import type { Body, Route } from '../route';
import { responsesOf } from './responses';
import { reference } from './schemas';

type Members = Readonly<Record<string, unknown>>;

/** The document's operation of a route on nodes. */
export const operationOf = (route: Route): Members => ({
  operationId: route.id,
  tags: [route.path.includes('threshold') ? 'thresholds' : 'statuses'],
  summary: route.summary,
  description: `${route.description}\n\n${permissionsOf(route)}`,
  parameters: [
    ...(route._tag === 'Node' ? [reference('parameters', 'nodeId')] : []),
    ...(route.writes ? [reference('parameters', 'idempotencyKey')] : []),
    ...(route.conditional === true && route.writes ? [reference('parameters', 'ifMatch')] : []),
    ...(route.conditional === true ? [reference('parameters', 'ifNoneMatch')] : []),
    reference('parameters', 'requestId'),
  ],
  ...(route.body !== undefined && { requestBody: bodyOf(route.body) }),
  responses: responsesOf(route.answers),
});

/** The document's operation of a route that needs no token. */
export const openOperationOf = (route: OpenRoute): Members => ({
  operationId: route.id,
  tags: ['process'],
  summary: route.summary,
  security: [],
  ...(route.parameters !== undefined && {
    parameters: Object.entries(route.parameters).map(([name, parameter]) => ({
      name,
      in: 'path',
      required: true,
      ...parameter,
    })),
  }),
  responses: responsesOf(route.answers),
});

const permissionsOf = (route: Route): string =>
  route._tag === 'Batch'
    ? `Needs \`${route.action}\` by any grant, and \`${route.actionOfEach}\` for each node.`
    : `Needs \`${route.action}\` for the node.`;

const bodyOf = ({ name, mediaType, mayBeEmpty, examples }: Body): Members => ({
  required: !mayBeEmpty,
  content: {
    [mediaType]: {
      schema: reference('schemas', name),
      examples: Object.fromEntries(Object.entries(examples).map(([key, value]) => [key, { value }])),
    },
  },
});

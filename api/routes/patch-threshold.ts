import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { RequestLimits } from '../../process/settings';
import { hardLimits } from '../../workflows/domain/limits';
import { patchOperations } from '../../workflows/domain/threshold/patch/operations';
import { thresholdNamed, type BandThresholdName } from '../../workflows/domain/threshold/band-name';
import { etagOf } from '../http/pipeline/preconditions';
import { withBody, type NodeRoute } from './route';
import { thresholdViewNaming } from '../../workflows/domain/threshold/threshold-view';
import { everywhere, problems, withChange, withContent } from './answers';
import { commandOf } from './command-of';
import { patchExample, thresholdShown } from './examples';
import { inNamesOfCaller } from './names-of-caller';

export const patchThreshold = (limits: RequestLimits, bandThresholdName: BandThresholdName): NodeRoute => {
  const lowered = loweredLimits(limits);
  return withBody({
    id: 'patchThreshold',
    summary: 'Change a part of the threshold of a node',
    description:
      'A JSON Patch (RFC 6902) of the document that GET shows. All operations are applied together, or none: 409 states which one does not apply.',
    method: 'PATCH',
    path: '/v1/point-alarm-threshold/:nodeId',
    action: 'POINT_ALARM_STATUS::SET_ALARM_THRESHOLD',
    writes: true,
    conditional: true,
    codec: patchOperations(limits.patchOperations),
    body: {
      name: 'AlarmThresholdPatch',
      mediaType: 'application/json-patch+json',
      mostBytes: Math.min(limits.patchBytes, limits.bodyBytes),
      mayBeEmpty: false,
      examples: { raiseNoFurther: patchExample },
    },
    answers: {
      200: {
        description: 'The threshold as this patch left it; to a repeat under the same key, as it is now.',
        headers: ['ETag'],
        mediaType: 'application/json',
        codec: thresholdViewNaming(bandThresholdName),
        example: thresholdShown,
      },
      ...problems(...everywhere, ...withContent, ...withChange, 'patch-conflict', 'precondition-failed'),
    },
    handle: (nodes, call, operations) =>
      pipe(
        nodes.send(call.nodeId, 'patchThreshold', {
          ...commandOf(call),
          operations,
          ...lowered,
        }),
        TE.mapLeft((refusal) => inNamesOfCaller(refusal, operations, bandThresholdName)),
        TE.bindTo('sent'),
        TE.bindW('shown', ({ sent: { patched } }) =>
          patched === undefined
            ? pipe(
                nodes.threshold(call.nodeId, { isFresh: true }),
                TE.map(({ value }) => value),
              )
            : TE.right(patched),
        ),
        TE.map(({ sent: { unchanged }, shown: { revision, threshold } }) => ({
          status: 200,
          headers: { ETag: etagOf(revision) },
          body: thresholdNamed(bandThresholdName, threshold),
          unchanged,
        })),
      ),
  });
};

/** The limits of this process on what a patch leaves, where one is lower than that of every node: then the node needs them. */
const loweredLimits = ({ choices, bands, hals, textLength }: RequestLimits): Readonly<Record<string, unknown>> => {
  const limits = { choices, bands, hals, textLength };
  const names = ['choices', 'bands', 'hals', 'textLength'] as const;
  return names.some((name) => limits[name] < hardLimits[name]) ? { limits } : {};
};

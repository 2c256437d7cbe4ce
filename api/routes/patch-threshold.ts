import * as E from 'fp-ts/Either';
import type { Reason } from '../../workflows/domain/codecs';
import { type PatchOperation, patchOperations } from '../../workflows/domain/threshold/patch';
import type { Refusal } from '../../workflows/domain/node/commands';
import { type BandThresholdName, bandThresholdNames, thresholdNamed } from '../../workflows/domain/threshold/band';
import type { Outage } from '../ports';
import type { ApiSettings } from '../../process/settings';
import { hardLimits, type Limits } from '../../workflows/domain/limits';
import { etagOf } from '../http/preconditions';
import { json, type NodeRoute, withBody } from '../http/route';
import { thresholdViewNaming } from '../../workflows/domain/threshold/threshold';
import { patchExample, thresholdShown } from './examples';

/** The refusal in the caller's name for the limits of bands: its operation's, else the patch's, else what GET `shows`. */
const inNamesOfCaller = (
  refusal: Refusal | Outage,
  operations: ReadonlyArray<PatchOperation>,
  shows: BandThresholdName,
): Refusal | Outage => {
  if (refusal._tag !== 'PatchConflict' && refusal._tag !== 'InvalidCommand') return refusal;
  const ofAll = nameIn(operations) ?? shows;
  const renamed = ({ name, reason }: Reason): Reason => {
    const operation = operations[Number(OPERATION.exec(name)?.[1])];
    const used = operation === undefined ? ofAll : (nameIn(operation) ?? shows);
    return { name: name.replace(LIMITS, `$1${used}`), reason: reason.replace(LIMITS, `$1${used}`) };
  };
  return { ...refusal, reasons: refusal.reasons.map(renamed) };
};

/** The operation in a reason's name, and the limits of a band in a dotted path or a JSON Pointer. */
const OPERATION = /^(\d+)\./u;
const LIMITS = new RegExp(`(bandAlarms[./][^./\\s]+[./])(?:${bandThresholdNames.join('|')})(?=[./\\s]|$)`, 'gu');

/** The one name that stands in `operations`, as a property or in a pointer. */
const nameIn = (operations: unknown): BandThresholdName | undefined => {
  const text = JSON.stringify(operations);
  const used = bandThresholdNames.filter((name) => new RegExp(`/${name}[/"]|"${name}":`, 'u').test(text));
  return used.length === 1 ? used[0] : undefined;
};

export const patchThreshold = (settings: ApiSettings, limits: Limits): NodeRoute => {
  const { BAND_THRESHOLD_NAME, OVERALL_REGIONS: reading } = settings;
  const lowered = loweredLimits(limits);
  return withBody({
    id: 'patchThreshold',
    summary: 'Change a part of the threshold of a node',
    description:
      'A JSON Patch (RFC 6902) of the document that GET shows. All operations are applied together, or none: 409 states which one does not apply.',
    method: 'PATCH',
    path: '/v1/point-alarm-threshold/:nodeId',
    action: 'POINT_ALARM_STATUS::SET_ALARM_THRESHOLD',
    conditional: true,
    codec: patchOperations(settings.MAX_PATCH_OPERATIONS),
    body: {
      description: 'The operations, which are applied in order.',
      mediaType: 'application/json-patch+json',
      mostBytes: Math.min(settings.MAX_PATCH_BYTES, settings.MAX_BODY_BYTES),
      examples: { raiseNoFurther: patchExample },
    },
    answers: {
      200: json(
        'The threshold as this patch left it; to a repeat under the same key, as it is now.',
        thresholdViewNaming(BAND_THRESHOLD_NAME),
        thresholdShown,
        'ETag',
      ),
    },
    problems: ['patch-conflict', 'precondition-failed'],
    handle:
      (nodes, { nodeId, by, sender, conditions: { revisions } }, operations) =>
      async () => {
        const command = { name: 'patchThreshold', ...sender, ...revisions, operations, reading, ...lowered } as const;
        const sent = await nodes.send(nodeId, command, by)();
        if (E.isLeft(sent)) return E.left(inNamesOfCaller(sent.left, operations, BAND_THRESHOLD_NAME));
        const { patched, _tag: outcome } = sent.right;
        const shown = patched ? E.right({ value: patched }) : await nodes.threshold(nodeId, { isFresh: true, by })();
        if (E.isLeft(shown)) return shown;
        const { revision, threshold } = shown.right.value;
        const body = thresholdNamed(BAND_THRESHOLD_NAME, threshold);
        return E.right({ status: 200, headers: { ETag: etagOf(revision) }, body, outcome });
      },
  });
};

/** The limits of this process on what a patch leaves, where one is lower than that of every node: then the node needs them. */
const loweredLimits = ({ choices, bands, hals, textLength }: Limits): { readonly limits?: Partial<Limits> } => {
  const limits = { choices, bands, hals, textLength };
  const names = ['choices', 'bands', 'hals', 'textLength'] as const;
  return names.some((name) => limits[name] < hardLimits[name]) ? { limits } : {};
};

import * as E from 'fp-ts/Either';
import type { Reason } from '../../workflows/domain/codecs';
import { type PatchOperation, patchOperations } from '../../workflows/domain/threshold/patch';
import type { Refusal } from '../../workflows/domain/node/commands';
import { type BandThresholdName, bandThresholdNames, thresholdNamed } from '../../workflows/domain/threshold/band';
import { noAnswerOf, type Outage } from '../ports';
import type { ApiSettings } from '../../process/settings';
import { hardLimits, type Limits } from '../../workflows/domain/limits';
import { etagOf } from '../contract/preconditions';
import { jsonBody, type NodeRoute, withBody } from '../contract/route';
import { thresholdViewNaming } from '../../workflows/domain/threshold/threshold';
import { patchExample, thresholdPatched } from './examples';

/**
 * The property of a band that holds its limits has two names. This function puts the caller's name into the reasons of a
 * refusal: the name in the operation that a reason is about, or in the whole patch if it is about none. If the caller uses none
 * or both, it takes the name that GET `shows`.
 */
const inNamesOfCaller = (
  refusal: Refusal | Outage,
  operations: ReadonlyArray<PatchOperation>,
  shows: BandThresholdName,
): Refusal | Outage => {
  if (refusal._tag !== 'PatchConflict' && refusal._tag !== 'InvalidCommand') return refusal;
  const named = operations.map(namesIn); // computed once, because a thousand reasons may be about the same operation
  const ofAll = onlyOf(named.flat()) ?? shows;
  const renamed = ({ name, reason }: Reason): Reason => {
    const own = named[Number(OPERATION.exec(name)?.[1])];
    const used = own === undefined ? ofAll : (onlyOf(own) ?? shows);
    return { name: name.replace(LIMITS, `$1${used}`), reason: reason.replace(LIMITS, `$1${used}`) };
  };
  return { ...refusal, reasons: refusal.reasons.map(renamed) };
};

/** These patterns find an operation's index in a reason, and the name of a band's limits in a dotted path or a JSON Pointer. */
const OPERATION = /^(\d+)\./u;
const LIMITS = new RegExp(`(bandAlarms[./][^./\\s]+[./])(?:${bandThresholdNames.join('|')})(?=[./\\s]|$)`, 'gu');

/** Each name of a band's limits, and how to find it in an operation's JSON: as a property or in a pointer. */
const forms = bandThresholdNames.map((name) => [name, new RegExp(`/${name}[/"]|"${name}":`, 'u')] as const);

const namesIn = (operation: PatchOperation): ReadonlyArray<BandThresholdName> => {
  const text = JSON.stringify(operation);
  return forms.flatMap(([name, form]) => (form.test(text) ? [name] : []));
};

/** The only name in `names`; undefined if there is none, or more than one. */
const onlyOf = (names: ReadonlyArray<BandThresholdName>): BandThresholdName | undefined =>
  new Set(names).size === 1 ? names[0] : undefined;

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
      200: jsonBody(
        'The threshold as this patch left it; to a repeat under the same key, as it is now.',
        thresholdViewNaming(BAND_THRESHOLD_NAME),
        thresholdPatched,
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
        if (E.isLeft(shown)) return E.left(thoughChanged(shown.left));
        const { revision, threshold } = shown.right.value;
        const body = thresholdNamed(BAND_THRESHOLD_NAME, threshold);
        return E.right({ status: 200, headers: { ETag: etagOf(revision) }, body, outcome });
      },
  });
};

/** The outage of a read after the node took the patch: the node may have changed, by this try or an earlier one. */
const thoughChanged = (outage: Outage): Outage =>
  outage._tag === 'TimedOut' ? outage : noAnswerOf('The node', outage.retryAfter, true);

/** This process's limits on a patched threshold. The node needs them only if one is lower than the limit of all nodes. */
const loweredLimits = ({ choices, bands, hals, textLength }: Limits): { readonly limits?: Partial<Limits> } => {
  const limits = { choices, bands, hals, textLength };
  const names = ['choices', 'bands', 'hals', 'textLength'] as const;
  return names.some((name) => limits[name] < hardLimits[name]) ? { limits } : {};
};

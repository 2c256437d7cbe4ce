import type { Reason } from '../../workflows/domain/codecs';
import type { PatchOperation } from '../../workflows/domain/threshold/patch/operations';
import type { Refusal } from '../../workflows/domain/commands/rejections';
import { bandThresholdNames, type BandThresholdName } from '../../workflows/domain/threshold/band-name';
import type { Outage } from '../ports';

/**
 * The reasons of a refused patch, with the caller's name for the limits of bands: that of the reason's operation, or else the
 * single one in all `operations`, or else the one that GET `shows`.
 */
export const inNamesOfCaller = (
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

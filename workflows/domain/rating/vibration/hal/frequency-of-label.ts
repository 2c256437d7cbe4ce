import type { DefectOrders } from '../bearings/defect-orders';

/** What a HAL's label names: a fault of its bearing, or a multiple of the shaft's speed. */
type LabelledFrequency =
  | { readonly _tag: 'fault'; readonly fault: keyof DefectOrders }
  | { readonly _tag: 'multiple'; readonly factor: number };

const faults: Readonly<Record<string, keyof DefectOrders>> = { ftf: 'ftf', bsf: 'bsf', bpfo: 'bpfo', bpfi: 'bpfi' };

/** Words and numbers stand free: no letter or digit before or after, and no number is read from its middle. */
const FAULT = /(?<![\p{L}\p{N}])(?:BPFO|BPFI|BSF|FTF)(?![\p{L}\p{N}])/iu;
const MULTIPLE = /(?<![\p{L}\p{N}.,])(\d+(?:\.\d+)?)\s*[x×](?:\s*RPM)?(?![\p{L}\p{N}])/iu;
const TEETH = /(?<![\p{L}\p{N}.,])(\d+)[\s-]*(?:TOOTH|TEETH)(?![\p{L}\p{N}])/iu;

/** What `label` names first of: a bearing fault, `<n>x`, `<n> TOOTH` (docs/hal.md, "Labels"); undefined when nothing. */
export const frequencyOfLabel = (label: string): LabelledFrequency | undefined => {
  const word = FAULT.exec(label);
  const fault = word === null ? undefined : faults[word[0].toLowerCase()];
  if (fault !== undefined) return { _tag: 'fault', fault };
  const factor = Number((MULTIPLE.exec(label) ?? TEETH.exec(label))?.[1]);
  return factor > 0 ? { _tag: 'multiple', factor } : undefined;
};

import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { decode, isRecord, type Reason } from '../../workflows/domain/codecs';
import { hardLimits } from '../../workflows/domain/limits';
import { thresholdInput } from '../../workflows/domain/threshold/threshold';

/** A threshold of a file, with its line number, from 1. */
export interface ThresholdLine {
  readonly line: number;
  readonly nodeId: string;
  /** The document to send; the API checks further rules. */
  readonly threshold: unknown;
}

/** An invalid line, with every fault. */
export interface FaultyLine {
  readonly line: number;
  readonly nodeId?: string;
  readonly reasons: ReadonlyArray<Reason>;
}

export type Line = E.Either<FaultyLine, ThresholdLine>;

const Threshold = thresholdInput(hardLimits);

/** Checks a line by the rules of PUT; it must name its node as well. */
export const lineOf = (line: number, threshold: unknown): Line =>
  pipe(
    decode(Threshold, threshold),
    E.chain(({ nodeId }) =>
      nodeId === undefined ? E.left([{ name: 'nodeId', reason: 'is required' }]) : E.right(nodeId),
    ),
    E.bimap(
      (reasons) => ({ line, ...nodeIn(threshold), reasons }),
      (nodeId) => ({ line, nodeId, threshold }),
    ),
  );

const nodeIn = (threshold: unknown): { readonly nodeId?: string } =>
  isRecord(threshold) && typeof threshold['nodeId'] === 'string' ? { nodeId: threshold['nodeId'] } : {};

/** `lines`; a line whose node is in an earlier one is a fault, since their order of arrival is undefined. */
export const eachNodeOnce = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> => {
  const seen = new Map<string, number>();
  return lines.map(
    E.chain((given): Line => {
      const earlier = seen.get(given.nodeId);
      if (earlier === undefined) {
        seen.set(given.nodeId, given.line);
        return E.right(given);
      }
      const reasons = [{ name: 'nodeId', reason: `is that of line ${earlier} already` }];
      return E.left({ line: given.line, nodeId: given.nodeId, reasons });
    }),
  );
};

import * as E from 'fp-ts/Either';
import { lineOf, type Line } from './threshold-line';

/** The thresholds of a text with one JSON document a line, in the shape of GET. Empty lines are passed over. */
export const readNdjson = (text: string): ReadonlyArray<Line> =>
  text
    .replace(BYTE_ORDER_MARK, '')
    .split('\n')
    .map((content, index) => ({ content, line: index + 1 }))
    .filter(({ content }) => content.trim() !== '')
    .map(({ content, line }) => {
      const json = E.tryCatch((): unknown => JSON.parse(content), String);
      return E.isLeft(json)
        ? E.left({ line, reasons: [{ name: '', reason: 'is not JSON' }] })
        : lineOf(line, json.right);
    });

const BYTE_ORDER_MARK = /^\uFEFF/u;

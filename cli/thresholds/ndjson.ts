import * as E from 'fp-ts/Either';
import { readJson } from '../../process/json/read-json';
import { lineOf, type Line } from './threshold-line';

/** The thresholds of a text with one JSON document a line, in the shape of GET. Empty lines are passed over. */
export const readNdjson = (text: string): ReadonlyArray<Line> =>
  text
    .replace(BYTE_ORDER_MARK, '')
    .split('\n')
    .map((content, index) => ({ content, line: index + 1 }))
    .filter(({ content }) => content.trim() !== '')
    .map(({ content, line }) => {
      const json = readJson(Buffer.from(content));
      if (E.isLeft(json)) return E.left({ line, reasons: [json.left] });
      const { value, faults } = json.right;
      return faults.length === 0 ? lineOf(line, value) : E.left({ line, reasons: faults });
    });

const BYTE_ORDER_MARK = /^\uFEFF/u;

import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { basename } from 'node:path';
import { prebuiltBundle } from '../../worker/workflow-code';
import type { FileOf } from './busy-times';

const MAP = /\/\/# sourceMappingURL=data:application\/json;charset=utf-8;base64,([\w+/=]+)\s*$/u;

/** The files of functions; of those in the bundle of the workflows, the files that went into it. Errors: it has no map. */
export const bundledFiles = (bundle: string = prebuiltBundle): FileOf => {
  const [, map] = MAP.exec(readFileSync(bundle, 'utf8')) ?? [];
  if (map === undefined) throw new Error(`${bundle} has no source map`);
  const sources = new SourceMap(JSON.parse(Buffer.from(map, 'base64').toString('utf8')));
  return ({ url, lineNumber, columnNumber }) => {
    if (!url.includes(basename(bundle, '.js'))) return url;
    const entry = sources.findEntry(lineNumber, columnNumber);
    return 'originalSource' in entry && typeof entry.originalSource === 'string' ? entry.originalSource : url;
  };
};

import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** Calls `onLine` with each whole line written to `path` from now on, until `stop`, which reads once more what is there. */
export const followLog = (path: string, onLine: (line: string) => void): { readonly stop: () => void } => {
  let position = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  let rest = Buffer.alloc(0);
  const read = (): void => {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < position) position = 0; // it was put aside
    const fresh = readFrom(path, position);
    position += fresh.length;
    rest = Buffer.concat([rest, fresh]);
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      onLine(rest.subarray(0, end).toString('utf8'));
      rest = rest.subarray(end + 1);
    }
  };
  const timer = setInterval(read, 200);
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
      read();
    },
  };
};

const readFrom = (path: string, position: number): Buffer => {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(256 * 1024);
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, position));
    } finally {
      closeSync(file);
    }
  } catch {
    return Buffer.alloc(0); // not there yet
  }
};

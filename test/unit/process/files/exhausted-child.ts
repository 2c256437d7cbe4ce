import { closeSync, openSync, writeFileSync } from 'node:fs';
import * as E from 'fp-ts/Either';
import { watchFile } from '../../../../process/files/watched-file';
import { createLog } from '../../../../process/log';

/** Watches the file of its argument, which becomes another while this process has no file descriptor left for a while. */
const path = process.argv[2] ?? '';
const log = createLog({ level: 'info', process: 'child' });

const watched = watchFile({ setting: 'FILE', path, read: E.right, log });
if (E.isLeft(watched)) throw new Error(watched.left);
writeFileSync(path, 'another version');
const held: number[] = [];
/** Again and again: what runs the TypeScript of this process gives some back. */
const exhaust = (): void => {
  try {
    for (;;) held.push(openSync('/dev/null', 'r'));
  } catch {
    return;
  }
};
exhaust();
const exhausting = setInterval(exhaust, 5);
log.info('no file descriptor is left');
setTimeout(() => {
  clearInterval(exhausting);
  held.forEach((file) => closeSync(file));
}, 3_500);
setInterval(() => {
  if (watched.right.current() !== 'another version') return;
  log.info('it has the other version');
  process.exit(0);
}, 100);

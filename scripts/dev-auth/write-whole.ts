import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a file whole or not at all; one that says the same already is left alone, so that nobody reads it again. */
export const writeWhole = (file: string, text: string): void => {
  if (contentOf(file) === text) return;
  const own = `${file}.${process.pid}.${randomUUID()}`;
  writeFileSync(own, text);
  renameSync(own, file);
};

const contentOf = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};

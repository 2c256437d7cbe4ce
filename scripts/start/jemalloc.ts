import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Debian has a folder for each architecture, others one for all. */
const debianNames: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: 'x86_64', arm64: 'aarch64' };
const folders = [`/usr/lib/${debianNames[process.arch] ?? process.arch}-linux-gnu`, '/usr/lib64', '/usr/lib'];

/** Where jemalloc is, which API and worker are given instead of the system's malloc where it is installed (docs/operations.md, "Sizing"). */
export const jemalloc = folders.map((folder) => join(folder, 'libjemalloc.so.2')).find((file) => existsSync(file));

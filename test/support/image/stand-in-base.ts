import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onPath } from '../../../stack/environment';
import { keptPath } from '../../../stack/temporal-command';

/** The certificate authorities of this machine: npm in a build trusts what npm outside trusts. */
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';

/** npm as the image `node` has it: a script of Node's own. */
const NPM = '#!/bin/sh\nexec node /usr/local/lib/node_modules/npm/bin/npm-cli.js "$@"\n';

/**
 * A root file system like that of the image `node:<version>-bookworm-slim`, as a tar file: Debian's packages, Node.js of the
 * npm package node-linux-*, npm, and the user `node`. Made once by mmdebstrap and kept in the user's cache folder.
 *
 * Errors: no mmdebstrap, or no way to the registries.
 */
export const standInBase = (version: string): string => {
  const kept = join(dirname(keptPath(process.env)), `stand-in-base-${version}-${process.arch}.tar`);
  if (existsSync(kept)) return kept;
  if (onPath('mmdebstrap', process.env) === undefined)
    throw new Error('the base image cannot be had; to make one: apt-get install mmdebstrap');
  mkdirSync(dirname(kept), { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'point-alarm-base-'));
  const made = `${kept}.${process.pid}.tar`;
  try {
    const node = `node-linux-${process.arch}`;
    execFileSync(
      'npm',
      ['install', '--prefix', folder, '--ignore-scripts', '--no-save', `${node}@${version}`, 'npm@11'],
      {
        stdio: 'pipe',
      },
    );
    const file = (name: string, content: string, mode: number): string => {
      writeFileSync(join(folder, name), content, { mode });
      return join(folder, name);
    };
    const hooks = [
      'mkdir -p "$1/usr/local/lib/node_modules" "$1/usr/local/etc"',
      `copy-in ${folder}/node_modules/${node}/bin/node ${file('npm', NPM, 0o755)} /usr/local/bin`,
      `copy-in ${folder}/node_modules/npm /usr/local/lib/node_modules`,
      `copy-in ${file('npmrc', 'cafile=/usr/local/etc/authorities.crt\n', 0o644)} /usr/local/etc`,
      `copy-in ${file('authorities.crt', readFileSync(AUTHORITIES, 'utf8'), 0o644)} /usr/local/etc`,
      'chroot "$1" groupadd --gid 1000 node',
      'chroot "$1" useradd --uid 1000 --gid node --create-home node',
    ].map((hook) => `--customize-hook=${hook}`);
    const lean = ['doc', 'man', 'locale'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
    const packages = '--include=libatomic1'; // Node.js from 26 on is linked to it
    execFileSync('mmdebstrap', ['--quiet', '--variant=minbase', packages, ...lean, ...hooks, 'bookworm', made], {
      stdio: 'pipe',
    });
    renameSync(made, kept);
    return kept;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(made, { force: true });
  }
};

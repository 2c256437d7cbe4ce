import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from '../../../stack/child';
import type { Environment } from '../../../stack/environment';
import type { Ground } from '../../../stack/ground';
import { projectRoot } from '../../../stack/project-root';

/** The scripts by which Docker Compose sets up a server of Temporal. */
type Script = 'set-up-schema' | 'set-up-namespace';

/** Commands by the name that the scripts have for them. */
export type Commands = Readonly<Record<string, string>>;

/** Runs a script of `deploy/compose` with such commands and settings, twice: they say that a repeat does no harm. */
export const runComposeScript = async (
  script: Script,
  { commands, env, folder }: { readonly commands: Commands; readonly env: Environment; readonly folder: string },
  ground: Ground,
): Promise<void> => {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const [name, path] of Object.entries(commands))
    if (!existsSync(join(bin, name))) symlinkSync(path, join(bin, name));
  const path = `${bin}:${process.env['PATH'] ?? ''}`;
  const line = { command: 'sh', args: [join(projectRoot, 'deploy/compose', `${script}.sh`)] };
  const log = join(folder, `${script}.log`);
  for (let run = 0; run < 2; run += 1)
    await runChild(
      { name: script, ...line, folder, env: { HOME: process.env['HOME'], ...env, PATH: path }, log },
      ground,
    );
};

import path from 'node:path';
import { createContext, Script } from 'node:vm';
import { build } from 'esbuild';
import { projectRoot } from '../../dev/stack/project-root';
import { CONSTANTS } from '../../worker/workflow-code';
import { processorTime } from './processor-time';

/** Modules of the source that others take the place of, by their paths from the project's root. */
export type Planted = Readonly<Record<string, string>>;

const bundled = async (planted: Planted): Promise<string> => {
  const inRoot = (file: string): string => path.join(projectRoot, file);
  const replaced = new Map(Object.entries(planted).map(([file, by]) => [inRoot(file), inRoot(by)]));
  const { outputFiles } = await build({
    entryPoints: [inRoot('test/cost/sandbox-entry.ts')],
    ...{ bundle: true, write: false, format: 'iife', globalName: 'entry', target: 'es2022', platform: 'neutral' },
    mainFields: ['main'],
    plugins: [
      {
        name: 'planted faults',
        setup: (bundler) => {
          bundler.onResolve({ filter: /^[.]/ }, async ({ path: specifier, importer, resolveDir, pluginData, kind }) => {
            if (pluginData === 'resolved') return undefined;
            const found = await bundler.resolve(specifier, { resolveDir, importer, kind, pluginData: 'resolved' });
            const by = replaced.get(found.path);
            return by === undefined || by === importer ? found : { path: by };
          });
          bundler.onResolve({ filter: /^fast-json-patch$/ }, ({ importer }) => {
            const by = replaced.get(inRoot('fast-json-patch'));
            return by === undefined || by === importer ? undefined : { path: by };
          });
        },
      },
    ],
  });
  return outputFiles[0]?.text ?? '';
};

/** The time (ms) of a call in the sandbox that is not waited for: the SDK gives an activation five seconds. */
const LONGEST_MS = 2_000;

/** A vm context of its own with the domain in it, as a worker's thread has one. */
export const createDomainSandbox = async (planted: Planted = {}) => {
  const context = createContext({ TextEncoder, TextDecoder, input: '' });
  new Script(`${CONSTANTS}\n${await bundled(planted)}\nglobalThis.createNode = entry.createNode;`).runInContext(
    context,
  );
  const scripts = new Map<string, Script>();
  const run = (code: string): unknown => {
    const script = scripts.get(code) ?? new Script(code);
    scripts.set(code, script);
    return script.runInContext(context, { timeout: LONGEST_MS });
  };
  /** Runs a call, and returns what it gave and how long it took; one that is given up took as long as that. */
  const timed = (code: string): { readonly ms: number; readonly gave?: unknown } => {
    const took = processorTime();
    try {
      const gave = run(code);
      return { ms: took(), gave };
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      return { ms: took() };
    }
  };
  return {
    newNode: (): void => void run('globalThis.node = createNode()'),
    /** The estimate is in microseconds; there is none where the call was given up, or refused as a whole. */
    take: (command: string): { readonly ms: number; readonly work: number | undefined } => {
      context['input'] = command;
      run('globalThis.command = JSON.parse(input)'); // the SDK does: only Temporal's limit of a payload bounds that
      const { ms, gave } = timed('node.take(command)');
      return { ms, work: typeof gave === 'string' ? (JSON.parse(gave) as { readonly work?: number }).work : undefined };
    },
    look: () => timed('node.look()'),
    carryOn: () => timed('node.carryOn()'),
  };
};
export type DomainSandbox = Awaited<ReturnType<typeof createDomainSandbox>>;

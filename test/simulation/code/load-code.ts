import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compileFunction } from 'node:vm';
import { transformSync } from 'esbuild';
import { projectRoot } from '../../../dev/stack/project-root';

/** An exact replacement of text in one source file, before it is compiled. */
export interface Patch {
  /** From the project's root. */
  readonly file: string;
  readonly text: string;
  readonly by: string;
}

/** What code finds as its globals instead of the real ones. */
export type Globals = Readonly<Record<string, unknown>>;

/** What a module is loaded with. */
export interface CodePlan {
  readonly globals: Globals;
  /** Modules by their specifier that are replaced by others. */
  readonly modules?: Readonly<Record<string, unknown>>;
  readonly patches?: ReadonlyArray<Patch>;
  /** Exported constants that have another value, by file. */
  readonly constants?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/* eslint-disable @typescript-eslint/no-unnecessary-type-parameters -- who loads a file says what it exports */
/** Loads files of this project and what they import, each once. */
export interface Code {
  readonly load: <Exports>(file: string) => Exports;
  /** A new instance of one file only, with other replacements; what it imports is shared. */
  readonly again: <Exports>(file: string, modules: Readonly<Record<string, unknown>>) => Exports;
}

type Body = (...given: ReadonlyArray<unknown>) => void;

const realRequire = createRequire(join(projectRoot, 'package.json'));

/** Packages that keep time themselves, by the file that is loaded anew with the given clock. */
const TIMED: Readonly<Record<string, string>> = { 'lru-cache': 'node_modules/lru-cache/dist/commonjs/index.js' };

const compiled = new Map<string, Body>();

/**
 * The real code of the project over given globals and modules: each file is compiled to CommonJS and run as Node runs a
 * module, but for its globals. So several processes of the service live in one, each by its own clock.
 *
 * Errors: a patch whose text is not found exactly once; a constant that its file does not export.
 */
export const codeOf = ({ globals, modules = {}, patches = [], constants = {} }: CodePlan): Code => {
  const names = Object.keys(globals);
  const values = Object.values(globals);
  const loaded = new Map<string, { exports: unknown }>();
  for (const patch of patches) patched(sourceOf(patch.file), patch);

  const bodyOf = (file: string): Body => {
    const wanted = patches.filter((patch) => patch.file === file);
    const changed = Object.entries(constants[file] ?? {});
    const key = JSON.stringify([file, names, wanted, changed]);
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const source = changed.reduce(withConstant, wanted.reduce(patched, sourceOf(file)));
    const text = file.endsWith('.ts') ? transpiled(source) : source;
    const parameters = ['exports', 'require', 'module', '__dirname', ...names];
    const body = compileFunction(text, parameters, { filename: `simulated/${file}` }) as Body;
    compiled.set(key, body);
    return body;
  };
  const run = (file: string, replaced: Readonly<Record<string, unknown>>): unknown => {
    const module = { exports: {} as unknown };
    if (replaced === modules) loaded.set(file, module);
    const require = (specifier: string): unknown => {
      if (Object.hasOwn(replaced, specifier)) return replaced[specifier];
      if (specifier.startsWith('.')) return load(resolved(dirname(file), specifier));
      const timed = TIMED[specifier];
      return timed === undefined ? realRequire(specifier) : load(timed);
    };
    bodyOf(file)(module.exports, require, module, join(projectRoot, dirname(file)), ...values);
    return module.exports;
  };
  const load = (file: string): unknown => (loaded.get(file) ?? { exports: run(file, modules) }).exports;
  return {
    load: <Exports>(file: string) => load(file) as Exports,
    again: <Exports>(file: string, other: Readonly<Record<string, unknown>>) =>
      run(file, { ...modules, ...other }) as Exports,
  };
};

const resolved = (folder: string, specifier: string): string => {
  const path = join(folder, specifier);
  const candidates = [`${path}.ts`, join(path, 'index.ts'), path];
  const found = candidates.find((candidate) => existsSync(join(projectRoot, candidate)));
  if (found === undefined) throw new Error(`${specifier} is not found from ${folder}`);
  return found;
};

const sourceOf = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');

const patched = (source: string, { file, text, by }: Patch): string => {
  const found = source.split(text).length - 1;
  if (found !== 1) throw new Error(`a patch of ${file} finds its text ${found} times: ${text}`);
  return source.replace(text, () => by);
};

/** An exported constant with another value, also for its own file. */
const withConstant = (source: string, [name, value]: readonly [string, number]): string => {
  const declaration = new RegExp(`^export const ${name} = .*;$`, 'mu');
  if (!declaration.test(source)) throw new Error(`there is no constant ${name}`);
  return source.replace(declaration, `export const ${name} = ${value};`);
};

const transpiled = (source: string): string =>
  transformSync(source, { loader: 'ts', format: 'cjs', target: 'es2022' }).code;

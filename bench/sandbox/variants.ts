import { withFewTimeouts, withoutPromiseHook } from '../../worker/lean-sandbox';

/** How the sandbox is prepared, and the code that it runs. */
interface Variant {
  readonly prepare: ReadonlyArray<() => void>;
  /** Whether the language's own objects are constants of the bundle. */
  readonly constants: boolean;
  /** Whether nodes share the domain's modules. */
  readonly shared: boolean;
}

const all: Variant = { prepare: [withoutPromiseHook, withFewTimeouts], constants: true, shared: true };

/** The sandbox as workers have it, and what each of its savings brings: without that one, and without all. */
export const variants: Readonly<Record<string, Variant>> = {
  'as workers have it': all,
  'with globals, not constants': { ...all, constants: false },
  'with all time-outs': { ...all, prepare: [withoutPromiseHook] },
  'with the promise hook': { ...all, prepare: [withFewTimeouts] },
  'with a domain for each node': { ...all, shared: false },
  'as the SDK has it': { prepare: [], constants: false, shared: false },
};

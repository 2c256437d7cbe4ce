import { withFewTimeouts, withoutPromiseHook } from '../../worker/lean-sandbox';

/** How the sandbox is prepared, and the code that it runs. */
interface Variant {
  readonly prepare: ReadonlyArray<() => void>;
  /** Whether the language's own objects are constants of the bundle. */
  readonly constants: boolean;
}

/** The sandbox as workers have it, and what each of its savings brings: without that one, and without all. */
export const variants: Readonly<Record<string, Variant>> = {
  'as workers have it': { prepare: [withoutPromiseHook, withFewTimeouts], constants: true },
  'with globals, not constants': { prepare: [withoutPromiseHook, withFewTimeouts], constants: false },
  'with all time-outs': { prepare: [withoutPromiseHook], constants: true },
  'with the promise hook': { prepare: [withFewTimeouts], constants: true },
  'as the SDK has it': { prepare: [], constants: false },
};

/** What Node is given to run our own processes, relative to the project's folder. */
export interface Entries {
  readonly worker: ReadonlyArray<string>;
  readonly api: ReadonlyArray<string>;
}

export const entries: Entries = {
  worker: ['--require', './dist/worker/lean-sandbox.js', 'dist/worker/main.js'],
  api: ['dist/api/main.js'],
};

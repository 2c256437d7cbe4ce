/** The entry files of our own processes, relative to the project's folder. */
export interface Entries {
  readonly worker: string;
  readonly api: string;
}

export const entries: Entries = { worker: 'dist/worker/main.js', api: 'dist/api/main.js' };

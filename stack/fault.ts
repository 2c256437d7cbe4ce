/** An expected failure of a command, reported as one line without a stack. Any other exception is a defect. */
export interface Fault extends Error {
  readonly _tag: 'Fault';
}

/** A fault of this line. */
export const fault = (line: string): Fault => Object.assign(new Error(line), { _tag: 'Fault' as const });

/** Whether `thrown` is a fault. */
export const isFault = (thrown: unknown): thrown is Fault =>
  thrown instanceof Error && '_tag' in thrown && thrown._tag === 'Fault';

/** The one line of anything thrown, for a reason inside a fault. */
export const lineOf = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')[0] ?? '';

import type { Entry } from '../chaos/history';
import type { Call } from './callers';

/** A promise of the events that is broken: by its name, and the call. */
export interface Broken {
  readonly promise: 'lost' | 'doubled' | 'torn' | 'done after it was refused';
  readonly call: Call;
}

/** Compares what the callers know with what the stream holds: nothing is lost, doubled, or done after it was refused. */
export const judge = (calls: ReadonlyArray<Call>, entries: ReadonlyArray<Entry>): ReadonlyArray<Broken> => {
  const counts = new Map<string, number>();
  for (const { data = '' } of entries) {
    const event = JSON.parse(data) as { readonly requestId?: string };
    if (event.requestId !== undefined) counts.set(event.requestId, (counts.get(event.requestId) ?? 0) + 1);
  }
  return calls.flatMap((call): ReadonlyArray<Broken> => {
    const expected = call.writes === 'threshold' ? 2 : 1;
    const count = counts.get(call.id) ?? 0;
    if (count > expected) return [{ promise: 'doubled', call }];
    if (call.fate === 'served' && count === 0) return [{ promise: 'lost', call }];
    if (call.fate === 'refused' && count > 0) return [{ promise: 'done after it was refused', call }];
    return count > 0 && count < expected ? [{ promise: 'torn', call }] : [];
  });
};

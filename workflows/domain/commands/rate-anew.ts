import type { Parts } from '../alarm/parts';
import type { State } from '../node/state';
import { rate, type Rated } from '../rating/rate';
import { spectrumRules, type SpectrumParts } from '../rating/rate-spectrum';

/** Every part by `rated` and the newest measurements; the external alarm outlives that. */
export const rateAnew = (state: State, rated: Rated = state): Parts => {
  const { external } = state.parts;
  return { ...rate(rated, state.latest, heldParts(state, rated)), ...(external !== undefined && { external }) };
};

/**
 * The bands and HALs that the node holds, where nothing has changed that they depend on: to rate them takes a hundred times
 * as long as all the rest.
 *
 * They depend on the release, too, which may be another than that of the run before. So this very run must have rated them by
 * the newest spectrum: then the two in `state` are one object, which no run carries on.
 */
const heldParts = (state: State, rated: Rated): SpectrumParts | undefined => {
  const { applied, newest, parts } = state;
  const areByNewest = newest.SPECTRUM !== undefined && applied.SPECTRUM === newest.SPECTRUM;
  if (!areByNewest || (rated !== state && spectrumRules(rated) !== spectrumRules(state))) return undefined;
  const { bands, hals } = parts;
  return { ...(bands !== undefined && { bands }), ...(hals !== undefined && { hals }) };
};

import type { ApiSettings } from '../process/settings';
import type { Limits } from '../workflows/domain/limits';

/** What this process takes at most of each thing that a node takes in. */
export const limitsOf = (settings: ApiSettings): Limits => ({
  choices: settings.MAX_CHOICES,
  bands: settings.MAX_BANDS,
  hals: settings.MAX_HALS,
  textLength: settings.MAX_TEXT_LENGTH,
  spectrumLines: settings.MAX_SPECTRUM_LINES,
});

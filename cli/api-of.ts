import { createApiCalls, type ApiCalls } from './api-calls';
import type { Surroundings } from './surroundings';

/** How long one call of a command is tried again. */
const SHORT_MS = 3_000;

/** The API that a command calls. */
export const apiOf = ({ settings, interrupted }: Surroundings, patienceMs: number = SHORT_MS): ApiCalls =>
  createApiCalls(settings.api, { ms: patienceMs, signal: interrupted });

import type { Registry } from 'prom-client';
import type { Log } from '../../../process/log';
import type { AuthorizerSettings } from '../../../process/settings';
import type { Authorizer } from '../../ports';
import { createAsk } from './ask';
import { createDecisionMetrics } from './decision-metrics';
import { createKeptDecisions } from './kept-decisions';
import { createHttpClient } from './http-client';

export interface PdpOptions extends AuthorizerSettings {
  readonly log: Log;
  readonly registry: Registry;
}

/** Decides by asking a policy decision point (PDP), which need not be available yet. */
export const createPdp = ({ log, registry, ...settings }: PdpOptions): Authorizer & { readonly close: () => void } => {
  const metrics = createDecisionMetrics(registry);
  const httpClient = createHttpClient(settings);
  const ask = createAsk({ httpClient, metrics, log });
  return { violations: createKeptDecisions({ ask, keepMs: settings.cacheMs, metrics }), close: httpClient.close };
};

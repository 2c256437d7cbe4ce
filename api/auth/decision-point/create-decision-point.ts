import type { Registry } from 'prom-client';
import type { Log } from '../../../process/log';
import type { AuthorizerSettings } from '../../../process/settings';
import type { Authorizer } from '../../ports';
import { createAsk } from './ask';
import { createDecisionMetrics } from './decision-metrics';
import { createKeptDecisions } from './kept-decisions';
import { createPoster } from './poster';

export interface DecisionPointOptions extends AuthorizerSettings {
  readonly log: Log;
  readonly registry: Registry;
}

/** Decides by asking a decision point, which need not be there yet. */
export const createDecisionPoint = ({
  log,
  registry,
  ...settings
}: DecisionPointOptions): Authorizer & { readonly close: () => void } => {
  const metrics = createDecisionMetrics(registry);
  const poster = createPoster(settings);
  const ask = createAsk({ poster, metrics, log });
  return { violations: createKeptDecisions({ ask, keepMs: settings.cacheMs, metrics }), close: poster.close };
};

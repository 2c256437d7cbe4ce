import type { Command } from 'commander';
import * as E from 'fp-ts/Either';
import type { AlarmStatus } from '../../client';
import { alarmParts } from '../../consumer';
import { reasonOf } from '../../process/reason-of';
import { partsView } from '../../workflows/domain/alarm/alarm-status';
import type { Measurement } from '../../workflows/domain/measurement/measurement';
import type { State } from '../../workflows/domain/node/state';
import type { ThresholdView } from '../../workflows/domain/threshold/threshold-view';
import { apiOf } from '../api-of';
import { node } from '../arguments';
import { exitCodes, type ExitCode } from '../exit-codes';
import { limitsByPart } from '../rating/limits-text';
import { explainRating, type ExplainedPart } from '../rating/explain-rating';
import { stateInTemporal } from '../rating/node-state';
import { explainedTable } from '../rating/rating-tables';
import { failed, type Act, type Surroundings } from '../surroundings';
import { drawSpectrum } from './rate';

interface ExplainOptions {
  readonly svg?: string;
  readonly json: boolean;
}

export const addExplain = (program: Command, act: Act): void => {
  program
    .command('explain')
    .description('show why a node has its status: each part with its value, the limit that decided and the region')
    .argument('<node>', 'the node', node)
    .option('--svg <file>', 'draw its latest spectrum there')
    .option('--json', 'as JSON, one part per line', false)
    .addHelpText('after', '\nExample:\n  $ pas explain $NODE')
    .action((nodeId: string, options: ExplainOptions) => act((surroundings) => explain(surroundings, nodeId, options)));
};

const explain = async (surroundings: Surroundings, nodeId: string, options: ExplainOptions): Promise<ExitCode> => {
  const settings = surroundings.temporal();
  try {
    const state = await stateInTemporal(settings, nodeId);
    if (state !== undefined) return explainState(surroundings, state, options);
    surroundings.report('Temporal has no such node');
  } catch (thrown) {
    surroundings.report(`Temporal at ${settings.connection.address} cannot be asked: ${reasonOf(thrown)}`);
  }
  return explainByApi(surroundings, nodeId, options);
};

/** Each part by the measurement that rated it, where the node still has that; the external part as it was set. */
const explainState = (surroundings: Surroundings, state: State, { svg, json }: ExplainOptions): ExitCode => {
  const { DATA_POINT, SPECTRUM, QUESTION_ANSWERS } = state.latest;
  const measurements: ReadonlyArray<Measurement> = [DATA_POINT, SPECTRUM, QUESTION_ANSWERS].flatMap(
    (measurement) => measurement ?? [],
  );
  const explained = new Map(
    measurements.flatMap((measurement) =>
      explainRating(state, measurement).map((part) => [`${part.part} ${part.measurement ?? ''}`, part] as const),
    ),
  );
  const parts = alarmParts(partsView(state.threshold, state.parts)).map((part): ExplainedPart => {
    const known = explained.get(`${part.part} ${part.measurement ?? ''}`);
    if (known !== undefined) return { ...known, ...part };
    if (part.part === 'external') return { ...part, region: 'as it was set' };
    return { ...part, why: part.measurement === undefined ? 'no measurement yet' : `rated by ${part.measurement}` };
  });
  show(surroundings, parts, json);
  if (svg === undefined) return exitCodes.done;
  return drawSpectrum(surroundings, svg, state, SPECTRUM);
};

/** By the two GETs: they tell statuses and limits, and not the values of points, the lines of spectra, or the reading. */
const explainByApi = async (
  surroundings: Surroundings,
  nodeId: string,
  { svg, json }: ExplainOptions,
): Promise<ExitCode> => {
  const api = apiOf(surroundings);
  const [status, threshold] = [
    await api((client) => client.getAlarmStatus(nodeId)),
    await api((client) => client.getThreshold(nodeId)),
  ];
  if (E.isLeft(status)) return failed(surroundings, status.left);
  if (E.isLeft(threshold)) return failed(surroundings, threshold.left);
  show(surroundings, byApi(status.right, threshold.right.threshold), json);
  surroundings.report(
    'not seen, since only the API was asked: the values of single points and inspections, the lines of spectra, and how overall regions are read',
  );
  if (svg === undefined) return exitCodes.done;
  surroundings.report('--svg needs the spectrum, which only Temporal has');
  return exitCodes.someFailed;
};

const byApi = (status: AlarmStatus, threshold: ThresholdView): ReadonlyArray<ExplainedPart> => {
  const limits = limitsByPart(threshold);
  return alarmParts(status).map((part) => ({
    ...part,
    region: limits[part.part] === undefined ? 'no limits are shown' : `limits: ${limits[part.part] ?? ''}`,
  }));
};

const show = (surroundings: Surroundings, parts: ReadonlyArray<ExplainedPart>, json: boolean): void => {
  if (json) for (const part of parts) surroundings.print(JSON.stringify(part));
  else explainedTable(parts).forEach(surroundings.print);
  if (parts.length === 0) surroundings.report('the node holds no part');
};

import type { Command } from 'commander';
import * as E from 'fp-ts/Either';
import { reasonOf } from '../../process/reason-of';
import { partsView } from '../../workflows/domain/alarm/alarm-status';
import { alarmParts, limitLines } from '../../workflows/domain/alarm/alarm-lines';
import type { State } from '../../workflows/domain/node/state';
import { answerOf } from '../api-calls';
import { node } from '../arguments';
import { CommandFailure, exitCodes, unlessInterrupted, type ExitCode } from '../failure';
import { explainedLines, explainRating, type ExplainedPart } from '../rating/explain-rating';
import type { Act, CommandContext } from '../command-context';
import { connectTemporal } from '../temporal';
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
    .action(act(explain));
};

const explain = async (context: CommandContext, nodeId: string, options: ExplainOptions): Promise<ExitCode> => {
  const state = await stateInTemporal(context, nodeId);
  return state === undefined ? explainByApi(context, nodeId, options) : explainState(context, state, options);
};

/** The node's state from its history in Temporal. If it cannot be read there, reports the reason and returns undefined. */
const stateInTemporal = async (
  { temporal, report, interrupted }: CommandContext,
  nodeId: string,
): Promise<State | undefined> => {
  const settings = temporal();
  try {
    const { stateOf, close } = await unlessInterrupted(interrupted, connectTemporal(settings));
    const state = await unlessInterrupted(interrupted, stateOf(nodeId)).finally(close);
    if (E.isRight(state)) return state.right;
    report(state.left);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof CommandFailure) throw thrown;
    report(`Temporal at ${settings.connection.address} cannot be asked: ${reasonOf(thrown)}`);
    return undefined;
  }
};

/** Explains each part by the measurement that gave the part its status, if the node still stores that measurement. */
const explainState = (context: CommandContext, state: State, { svg, json }: ExplainOptions): ExitCode => {
  const { DATA_POINT, SPECTRUM, QUESTION_ANSWERS } = state.latest;
  const explained = [DATA_POINT, SPECTRUM, QUESTION_ANSWERS].flatMap((measurement) =>
    measurement === undefined ? [] : explainRating(state, measurement),
  );
  const parts = alarmParts(partsView(state.threshold, state.parts)).map((part): ExplainedPart => {
    const known = explained.findLast((one) => one.part === part.part && one.measurement === part.measurement);
    if (known !== undefined) return { ...known, ...part };
    if (part.part === 'external') return { ...part, region: 'as it was set' };
    return { ...part, why: part.measurement === undefined ? 'no measurement yet' : `rated by ${part.measurement}` };
  });
  show(context, parts, json);
  if (svg !== undefined) drawSpectrum(context, svg, state, SPECTRUM);
  return exitCodes.done;
};

/** Explains the parts by two GETs of the API, whose answers hold less than Temporal does. It reports what is missing. */
const explainByApi = async (context: CommandContext, nodeId: string, { svg, json }: ExplainOptions) => {
  const status = await answerOf(context, (client) => client.getAlarmStatus(nodeId));
  const { threshold } = await answerOf(context, (client) => client.getThreshold(nodeId));
  const limits = limitLines(threshold);
  const parts = alarmParts(status).map((part): ExplainedPart => {
    const known = limits[part.part];
    return { ...part, region: known === undefined ? 'no limits are shown' : `limits: ${known}` };
  });
  show(context, parts, json);
  context.report(
    'not seen, since only the API was asked: the values of single points and inspections, the lines of spectra, and how overall regions are read',
  );
  if (svg === undefined) return exitCodes.done;
  context.report('--svg needs the spectrum, which only Temporal has');
  return exitCodes.someFailed;
};

const show = (context: CommandContext, parts: ReadonlyArray<ExplainedPart>, json: boolean): void => {
  explainedLines(parts, json).forEach(context.print);
  if (parts.length === 0) context.report('the node holds no part');
};

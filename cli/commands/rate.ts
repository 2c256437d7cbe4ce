import { realpathSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import * as E from 'fp-ts/Either';
import { partsView } from '../../workflows/domain/alarm/alarm-status';
import { alarmParts } from '../../workflows/domain/alarm/alarm-lines';
import { epochMsOf, mapped } from '../../workflows/domain/codecs';
import { hardLimits } from '../../workflows/domain/limits';
import { measurementInput, type Measurement } from '../../workflows/domain/measurement/measurement';
import { overallReadings, type OverallReading } from '../../workflows/domain/rating/overall-regions';
import { rateMeasurement, unitMismatches } from '../../workflows/domain/rating/rate';
import { ratingRules, type RatingRules } from '../../workflows/domain/rating/rating-rules';
import { resolveBearings } from '../../workflows/domain/rating/vibration/bearings/bearing-lookup';
import { bearingsFile } from '../../workflows/domain/rating/vibration/bearings/bearings-file';
import { thresholdInput, type Threshold } from '../../workflows/domain/threshold/threshold';
import { exitCodes, printable, unusable, writeOrFail, type ExitCode } from '../failure';
import { readConfiguration, readDocuments } from '../input';
import { createThrottle } from '../long-work';
import { backTest, backTestTables, type RatedMeasurement } from '../rating/back-test';
import { explainedLines, explainRating } from '../rating/explain-rating';
import { spectrumSvg } from '../rating/svg/spectrum-svg';
import type { Act, CommandContext } from '../command-context';

interface RateOptions {
  readonly threshold: string;
  readonly measurement: string;
  readonly svg?: string;
  readonly reading: OverallReading;
  readonly bearings?: string;
  readonly json: boolean;
}

export const addRate = (program: Command, act: Act): void => {
  program
    .command('rate')
    .description('rate measurements by a threshold, without any server: what each part would be, and why')
    .requiredOption('--threshold <file>', 'the threshold as JSON, as PUT takes it')
    .requiredOption('--measurement <file>', 'a measurement as JSON, or many, one per line; - reads standard input')
    .option('--svg <file>', 'draw the spectrum with its bands, limits and harmonics there')
    .addOption(
      new Option('--reading <reading>', 'how overall regions are read').choices(overallReadings).default('literal'),
    )
    .option('--bearings <file>', 'your own bearings, as in BEARINGS_FILE')
    .option('--json', 'as JSON, one part per line', false)
    .addHelpText('after', EXAMPLES)
    .action(act(rateFiles));
};

const EXAMPLES = `
Examples:
  $ pas rate --threshold docs/examples/outer-race-threshold.json --measurement docs/examples/outer-race.json --svg outer-race.svg
  $ pas rate --threshold threshold.json --measurement measurements.ndjson`;

const Input = mapped(measurementInput(hardLimits), ({ nodeId: _, ...measurement }): Measurement => measurement);
const PROGRESS_MS = 5_000;

const rateFiles = async (context: CommandContext, options: RateOptions): Promise<ExitCode> => {
  refuseOverwriting(context, options);
  const rules = await readRules(context, options);
  const { measurement: file, svg, json } = options;
  const { print, report, interrupted } = context;
  const found: RatedMeasurement[] = [];
  const isDue = createThrottle(PROGRESS_MS);
  let [only, faults]: [Measurement | undefined, number] = [undefined, 0];
  const mismatches = new Set<string>();
  for await (const document of readDocuments(context, file, Input)) {
    if (interrupted.aborted) return exitCodes.interrupted;
    if (E.isLeft(document)) {
      faults += 1;
      for (const line of document.left) report(printable(line));
      continue;
    }
    only = document.right;
    for (const { part, expected, actual } of unitMismatches(rules.threshold, only))
      mismatches.add(`${part} is measured in ${actual}, its limits are in ${expected}: nothing is converted`);
    const parts = alarmParts(partsView(rules.threshold, rateMeasurement(rules, only)));
    found.push({ at: epochMsOf(only.createdAt), parts });
    if (isDue()) report(`${found.length} measurements rated`);
  }
  for (const mismatch of mismatches) report(printable(mismatch));
  if (only === undefined) {
    if (faults === 0) report(`${file} holds no measurement`);
    return exitCodes.usage;
  }
  if (found.length > 1) {
    if (svg !== undefined) throw unusable(`${file} holds ${found.length} measurements; --svg draws a single one`);
    const parts = backTest(found);
    for (const { part, units } of parts.filter(isMixed))
      report(printable(`${part} is measured in ${units.join(' and in ')}: nothing is converted`));
    (json ? parts.map((part) => JSON.stringify(part)) : backTestTables(parts)).forEach(print);
  } else {
    const parts = explainRating(rules, only);
    if (parts.length > 0) explainedLines(parts, json).forEach(print);
    else report(`no part of the threshold is rated by ${only.contentType}`);
    if (svg !== undefined) drawSpectrum(context, svg, rules, only);
  }
  return faults > 0 ? exitCodes.someFailed : exitCodes.done;
};

type Tested = ReturnType<typeof backTest>[number];
const isMixed = (tested: Tested): tested is Extract<Tested, { readonly units: unknown }> => 'units' in tested;

/** Fails if `--svg` names a file that the command reads, because the picture would overwrite that file. */
const refuseOverwriting = (
  { folder }: CommandContext,
  { svg, threshold, measurement, bearings }: RateOptions,
): void => {
  if (svg === undefined) return;
  const placeOf = (file: string): string => {
    const path = resolve(folder, file);
    return E.getOrElse(() => path)(E.tryCatch(() => realpathSync(path), String));
  };
  const read = [threshold, measurement, bearings].find((file) => file !== undefined && placeOf(file) === placeOf(svg));
  if (read !== undefined) throw unusable(`--svg ${svg} would overwrite ${read}, which is read`);
};

const readRules = async (context: CommandContext, { threshold: file, reading, bearings: own }: RateOptions) => {
  let threshold: Threshold | undefined;
  for await (const document of readDocuments(context, file, thresholdInput(hardLimits))) {
    if (E.isLeft(document)) throw unusable(document.left.join('; '));
    if (threshold !== undefined) throw unusable(`${file} holds more than one threshold`);
    const { nodeId: _, origin: __, ...rest } = document.right;
    threshold = rest;
  }
  if (threshold === undefined) throw unusable(`${file} holds no threshold`);
  const known = own === undefined ? [] : await readConfiguration(context, own, bearingsFile);
  const bearings = resolveBearings(threshold, known);
  return ratingRules(threshold, { reading, bearings });
};

export const drawSpectrum = (
  { folder }: CommandContext,
  svg: string,
  rules: RatingRules,
  measurement?: Measurement,
): void => {
  if (measurement?.contentType !== 'SPECTRUM') throw unusable('--svg draws a measurement of type SPECTRUM');
  const picture = spectrumSvg(rules, measurement);
  if (E.isLeft(picture)) throw unusable(`it cannot be drawn: ${picture.left}`);
  writeOrFail(svg, () => writeFileSync(resolve(folder, svg), `${picture.right}\n`));
};

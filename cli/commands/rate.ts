import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { jsonDocument } from '../../process/files/json-document';
import { epochMsOf, mapped } from '../../workflows/domain/codecs';
import { hardLimits } from '../../workflows/domain/limits';
import { measurementInput, type Measurement } from '../../workflows/domain/measurement/measurement';
import { overallReadings, type OverallReading } from '../../workflows/domain/rating/overall-regions';
import { rateMeasurement, type Rated } from '../../workflows/domain/rating/rate';
import { unitMismatches } from '../../workflows/domain/rating/unit-mismatches';
import { bearingsFile } from '../../workflows/domain/rating/vibration/bearings/bearings-file';
import type { ResolvedBearing } from '../../workflows/domain/rating/vibration/bearings/resolved-bearing';
import { thresholdInput, type Threshold } from '../../workflows/domain/threshold/threshold';
import { partsView } from '../../workflows/domain/alarm/alarm-status';
import { alarmParts } from '../../consumer';
import { unusable, writing, type CommandFailure } from '../command-failure';
import { exitCodes, type ExitCode } from '../exit-codes';
import { printable } from '../printable';
import { backTest, type RatedMeasurement } from '../rating/back-test';
import { explainRating } from '../rating/explain-rating';
import { backTestTables, explainedTable } from '../rating/rating-tables';
import { readDocuments } from '../rating/read-documents';
import { spectrumSvg } from '../rating/svg/spectrum-svg';
import { failed, readText, type Act, type Surroundings } from '../surroundings';

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
    .action((options: RateOptions) => act((surroundings) => rateFiles(surroundings, options)));
};

const EXAMPLES = `
Examples:
  $ pas rate --threshold docs/examples/outer-race-threshold.json --measurement docs/examples/outer-race.json --svg outer-race.svg
  $ pas rate --threshold threshold.json --measurement measurements.ndjson`;

const Input = mapped(measurementInput(hardLimits), ({ nodeId: _, ...measurement }): Measurement => measurement);
const PROGRESS_MS = 5_000;

const rateFiles = async (surroundings: Surroundings, options: RateOptions): Promise<ExitCode> => {
  const rated = await readRated(surroundings, options);
  return E.isLeft(rated) ? failed(surroundings, rated.left) : rateAll(surroundings, options, rated.right);
};

const readRated = async (
  surroundings: Surroundings,
  { threshold: file, reading, bearings: own }: RateOptions,
): Promise<E.Either<CommandFailure, Rated>> => {
  let threshold: Threshold | undefined;
  for await (const document of readDocuments(surroundings, file, thresholdInput(hardLimits))) {
    if (E.isLeft(document)) return E.left(unusable(document.left.join('; ')));
    if (threshold !== undefined) return E.left(unusable(`${file} holds more than one threshold`));
    const { nodeId: _, origin: __, ...rest } = document.right;
    threshold = rest;
  }
  if (threshold === undefined) return E.left(unusable(`${file} holds no threshold`));
  const set = threshold;
  const none: E.Either<CommandFailure, ReadonlyArray<ResolvedBearing>> = E.right([]);
  return pipe(
    own === undefined ? none : await readBearings(surroundings, own),
    E.map((bearings) => ({ threshold: set, reading, bearings })),
  );
};

const readBearings = async (
  surroundings: Surroundings,
  file: string,
): Promise<E.Either<CommandFailure, ReadonlyArray<ResolvedBearing>>> =>
  pipe(
    await readText(surroundings, file),
    E.chain((text) =>
      pipe(
        jsonDocument(bearingsFile)(text),
        E.mapLeft((fault) => unusable(`${file} ${fault}`)),
      ),
    ),
  );

const rateAll = async (surroundings: Surroundings, options: RateOptions, rated: Rated): Promise<ExitCode> => {
  const { measurement: file } = options;
  const { report, interrupted } = surroundings;
  const found: RatedMeasurement[] = [];
  let [only, faults, shownAt]: [Measurement | undefined, number, number] = [undefined, 0, performance.now()];
  const mismatches = new Set<string>();
  for await (const document of readDocuments(surroundings, file, Input)) {
    if (interrupted.aborted) return exitCodes.interrupted;
    if (E.isLeft(document)) {
      faults += 1;
      for (const line of document.left) report(printable(line));
      continue;
    }
    only = document.right;
    for (const { part, expected, actual } of unitMismatches(rated.threshold, only))
      mismatches.add(`${part} is measured in ${actual}, its limits are in ${expected}: nothing is converted`);
    found.push({
      at: epochMsOf(only.createdAt),
      parts: alarmParts(partsView(rated.threshold, rateMeasurement(rated, only))),
    });
    if (performance.now() - shownAt < PROGRESS_MS) continue;
    shownAt = performance.now();
    report(`${found.length} measurements rated`);
  }
  for (const mismatch of mismatches) report(printable(mismatch));
  if (only === undefined) {
    if (faults === 0) report(`${file} holds no measurement`);
    return exitCodes.usage;
  }
  if (found.length > 1) return showBackTest(surroundings, options, found, faults);
  const shown = showRating(surroundings, options, rated, only);
  return faults > 0 && shown === exitCodes.done ? exitCodes.someFailed : shown;
};

const showBackTest = (
  surroundings: Surroundings,
  { svg, json, measurement: file }: RateOptions,
  found: ReadonlyArray<RatedMeasurement>,
  faults: number,
): ExitCode => {
  if (svg !== undefined)
    return failed(surroundings, unusable(`${file} holds ${found.length} measurements; --svg draws a single one`));
  const parts = backTest(found);
  if (json) for (const part of parts) surroundings.print(JSON.stringify(part));
  else backTestTables(parts).forEach(surroundings.print);
  return faults > 0 ? exitCodes.someFailed : exitCodes.done;
};

/** Prints what a measurement comes to, and draws it where that is asked. */
const showRating = (
  surroundings: Surroundings,
  { svg, json }: Pick<RateOptions, 'svg' | 'json'>,
  rated: Rated,
  measurement: Measurement,
): ExitCode => {
  const parts = explainRating(rated, measurement);
  if (json) for (const part of parts) surroundings.print(JSON.stringify(part));
  else if (parts.length > 0) explainedTable(parts).forEach(surroundings.print);
  if (parts.length === 0) surroundings.report(`no part of the threshold is rated by ${measurement.contentType}`);
  return svg === undefined ? exitCodes.done : drawSpectrum(surroundings, svg, rated, measurement);
};

/** Draws a spectrum to the file `svg`. */
export const drawSpectrum = (
  surroundings: Surroundings,
  svg: string,
  rated: Rated,
  measurement: Measurement | undefined,
): ExitCode => {
  if (measurement?.contentType !== 'SPECTRUM')
    return failed(surroundings, unusable('--svg draws a measurement of type SPECTRUM'));
  const picture = spectrumSvg(rated, measurement);
  if (E.isLeft(picture)) return failed(surroundings, unusable(`it cannot be drawn: ${picture.left}`));
  writing(svg, () => {
    writeFileSync(resolve(surroundings.folder, svg), `${picture.right}\n`);
  });
  return exitCodes.done;
};

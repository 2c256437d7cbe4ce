import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../stack/project-root';
import { generate } from '../stack/commands/generated-document';
import { charts } from './benchmarks';
import { halMethodPicture } from './hal-method';
import { healthyFaultyPicture } from './healthy-faulty';
import { overallRegionsPicture } from './overall-regions';
import { resonancePicture } from './resonance';
import { outerRacePicture } from './spectra';
import { alarmTimesPicture } from './alarm-times';

/** The pictures that this program draws for the documents, by file name, without the charts of benchmarks (`charts`). */
const pictures: Readonly<Record<string, () => string>> = {
  'overall-regions': overallRegionsPicture,
  'hal-method': halMethodPicture,
  'outer-race': outerRacePicture,
  'healthy-faulty': healthyFaultyPicture,
  resonance: resonancePicture,
  'told-times': alarmTimesPicture,
};
const figures = (): string => readFileSync(join(projectRoot, 'docs/contributing/benchmarks-tables.md'), 'utf8');

void generate('dev/pictures/write.ts', [
  ...Object.entries(pictures).map(([name, draw]) => ({ path: `docs/images/${name}.svg`, text: draw })),
  ...Object.entries(charts).map(([name, draw]) => ({ path: `docs/images/${name}.svg`, text: () => draw(figures()) })),
]);

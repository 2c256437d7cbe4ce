import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../stack/project-root';
import { generate } from '../../stack/commands/generated-document';
import { charts } from './benchmarks';
import { halMethodPicture } from './hal-method';
import { healthyFaultyPicture } from './healthy-faulty';
import { overallRegionsPicture } from './overall-regions';
import { resonancePicture } from './resonance';
import { outerRacePicture } from './spectra';

/** The pictures of the documents that are drawn: regions by the table that rates, charts by the figures of the benchmarks. */
const pictures: Readonly<Record<string, () => string>> = {
  'overall-regions': overallRegionsPicture,
  'hal-method': halMethodPicture,
  'outer-race': outerRacePicture,
  'healthy-faulty': healthyFaultyPicture,
  resonance: resonancePicture,
};
const figures = (): string => readFileSync(join(projectRoot, 'docs/contributing/benchmarks-tables.md'), 'utf8');

void generate('docs/pictures/write.ts', [
  ...Object.entries(pictures).map(([name, draw]) => ({ path: `docs/images/${name}.svg`, text: draw })),
  ...Object.entries(charts).map(([name, draw]) => ({ path: `docs/images/${name}.svg`, text: () => draw(figures()) })),
]);

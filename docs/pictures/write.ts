import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../stack/project-root';
import { generate } from '../../stack/commands/generated-document';
import { hotPicture, lagPicture, readsPicture, soakMemoryPicture, soakTimesPicture, spreadPicture } from './benchmarks';
import { flowPicture } from './flow';
import { halMethodPicture } from './hal-method';
import { overallRegionsPicture } from './overall-regions';
import { halExamplePicture, outerRacePicture } from './spectra';
import { topologyPicture } from './topology';

/** The pictures of the documents that are drawn: regions by the table that rates, charts by the figures of the benchmarks. */
const pictures: Readonly<Record<string, () => string>> = {
  flow: flowPicture,
  topology: topologyPicture,
  'overall-regions': overallRegionsPicture,
  'hal-method': halMethodPicture,
  'hal-example': halExamplePicture,
  'outer-race': outerRacePicture,
};
const charts: Readonly<Record<string, (tables: string) => string>> = {
  'bench-spread': spreadPicture,
  'bench-hot': hotPicture,
  'bench-reads': readsPicture,
  'bench-lag': lagPicture,
  'bench-soak-times': soakTimesPicture,
  'bench-soak-memory': soakMemoryPicture,
};
const figures = (): string => readFileSync(join(projectRoot, 'docs/benchmarks-tables.md'), 'utf8');

void generate('docs/pictures/write.ts', [
  ...Object.entries(pictures).map(([name, draw]) => ({ path: `docs/images/${name}.svg`, text: draw })),
  ...Object.entries(charts).map(([name, draw]) => ({
    path: `docs/images/${name}.svg`,
    text: () => draw(figures()),
  })),
]);

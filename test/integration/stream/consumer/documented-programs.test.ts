import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../../../../dev/stack/project-root';
import { createOtherProject, DEPENDENCIES, programsIn } from '../../../support/other-project';

test('each program of docs/consumer-typescript.md compiles, by the name of the package', () => {
  const consumer = createOtherProject([...DEPENDENCIES, '@types/pg', 'prom-client', 'redis']);
  onTestFinished(consumer.remove);
  const programs = programsIn('docs/consumer-typescript.md');
  expect(programs.length).toBeGreaterThan(3);
  const files = programs.map((_, at) => `program-${at}.mts`);
  files.forEach((file, at) => consumer.write(file, programs[at] ?? ''));
  const compilerOptions = { target: 'es2023', module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true };
  consumer.write('tsconfig.json', JSON.stringify({ compilerOptions: { ...compilerOptions, types: ['node'] }, files }));
  consumer.run(process.execPath, [join(projectRoot, 'node_modules/typescript/bin/tsc'), '-p', consumer.folder]);
});

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../../stack/project-root';

const guide = readFileSync(join(projectRoot, 'CONTRIBUTING.md'), 'utf8');
const places = new Set([...guide.matchAll(/`((?:\.?[\w-]+\/)+[\w.-]*)`/gu)].map(([, place = '']) => place));

test('the guide for contributors names places', () => {
  expect(places.size).toBeGreaterThan(40);
});

test.each([...places])('%s, which it names, is there', (place) => {
  const isThere = [projectRoot, join(projectRoot, 'workflows/domain')].some((root) => existsSync(join(root, place)));
  expect(isThere).toBe(true);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/Either';
import { expect, test } from 'vitest';
import { questionOf } from '../../../../api/auth/pdp';
import { grantsFile } from '../../../../api/auth/grants';
import { hierarchyFile } from '../../../../process/files/hierarchy-file';
import { actions } from '../../../../api/ports';
import { projectRoot } from '../../../../dev/stack/project-root';
import { decode } from '../../../../workflows/domain/codecs';

const [page, messages] = ['authentication', 'contributing/policy-decision-point'].map((name) =>
  readFileSync(join(projectRoot, `docs/${name}.md`), 'utf8'),
);
const document = `${page}${messages}`;
const [hierarchy, grants, evaluation, evaluations] = [...document.matchAll(/^```json\n(.*?)^```/gmsu)].map(
  ([, block = '']): unknown => JSON.parse(block),
);
const [user, point, another] = ['5f0c9a1e-2d64-4b0a-8c37-9e1d2b3c4d01', '4e03', '4e04'];
const node = (end: string): string => `7a1d3c52-6b0e-4f6a-9a53-2f0c1b7d${end}`;

test('the files of the document are files', () => {
  expect(E.isRight(decode(hierarchyFile, hierarchy))).toBe(true);
  expect(E.isRight(decode(grantsFile, grants))).toBe(true);
});

test('the questions of the document are those that are asked', () => {
  const one = { action: 'POINT_ALARM_STATUS::GET_ALARM_STATUS', resource: node(point) } as const;
  expect(questionOf(user, [one])).toEqual({ endpoint: 'evaluation', body: evaluation });
  const batch = { action: 'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD_BATCH', resource: '*' } as const;
  const each = [point, another].map(
    (end) => ({ action: 'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD', resource: node(end) }) as const,
  );
  expect(questionOf(user, [batch, ...each])).toEqual({ endpoint: 'evaluations', body: evaluations });
});

test('the document names every action', () => {
  for (const action of actions) expect(document).toContain(`\`${action}\``);
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { routesOf } from '../../../api/routes';
import { apiSettings } from '../../../process/settings';
import { projectRoot } from '../../../stack/project-root';
import { AlarmStatusView } from '../../../workflows/domain/alarm/alarm-status';
import { statusNames } from '../../../workflows/domain/alarm/status';
import { decode } from '../../../workflows/domain/codecs';
import { hardLimits } from '../../../workflows/domain/limits';
import { contentTypes, measurementInput } from '../../../workflows/domain/measurement/measurement';
import { overallReadings, rateLimits } from '../../../workflows/domain/rating/overall-regions';
import { thresholdInput, type ThresholdInput } from '../../../workflows/domain/threshold/threshold';

const textOf = (page: string): string => readFileSync(join(projectRoot, 'docs', page), 'utf8');
const guide = textOf('thresholds.md');

test('the guide to calls shows a measurement of every content type that can be sent', () => {
  const [, lines = ''] = /^```json\n(\{"contentType".*?)^```$/msu.exec(textOf('calls.md')) ?? [];
  const about = { measurementId: '3b241101-e2bb-4255-8caf-4136c566a962', createdAt: '2026-01-31T10:00:00.000Z' };
  const decoded = lines
    .trim()
    .split('\n')
    .map((line) => decode(measurementInput(hardLimits), { ...about, ...JSON.parse(line) }));
  expect(decoded.map((one) => (E.isRight(one) ? one.right.contentType : one.left))).toEqual(contentTypes);
});

test('the guide to calls shows a body of each call that is no measurement', () => {
  const [, lines = ''] = /^<!-- bodies -->\n```json\n(.*?)^```$/msu.exec(textOf('calls.md')) ?? [];
  const settings = apiSettings({ AUTH_JWKS_FILE: 'keys', GRANTS_FILE: 'grants' });
  if (E.isLeft(settings)) throw new Error(settings.left.join('; '));
  const routes = routesOf(settings.right, { kindOf: () => 'measurement_point' });
  const bodies = lines.trim().split('\n');
  const ids = ['setThreshold', 'patchThreshold', 'getThresholds', 'setExternalAlarm'];
  const faults = ids.map((id, index) => {
    const accepted = routes.find((route) => route.id === id)?.accept(JSON.parse(bodies[index] ?? ''));
    return accepted !== undefined && E.isLeft(accepted) ? accepted.left : [];
  });
  expect([bodies.length, faults]).toEqual([ids.length, ids.map(() => [])]);
});

test('the guide to calls shows a status as GET answers it', () => {
  const [, shown = ''] = /^```json\n(\{"nodeId".*?)^```$/msu.exec(textOf('calls.md')) ?? [];
  expect(decode(AlarmStatusView, JSON.parse(shown))).toSatisfy(E.isRight);
});

const thresholdIn = (json: string): ThresholdInput => {
  const decoded = decode(thresholdInput(hardLimits), JSON.parse(json));
  if (E.isLeft(decoded)) throw new Error(`${json}: ${JSON.stringify(decoded.left)}`);
  return decoded.right;
};

const exampleFiles = readdirSync(join(projectRoot, 'docs/examples')).filter((name) => name.endsWith('.json'));

test.each(exampleFiles.filter((name) => name !== 'outer-race.json'))('%s is a threshold that can be set', (name) => {
  expect(thresholdIn(textOf(`examples/${name}`))).toBeDefined();
});

describe('the guide to thresholds', () => {
  const blocks = [...guide.matchAll(/^```json\n(.*?)^```$/gmsu)].map(([, json = '']) => json);
  test.each(blocks)('shows a threshold that can be set: %s', (json) => {
    expect(thresholdIn(json)).toBeDefined();
  });

  const examples = [...guide.matchAll(/^`(\{.+\})`\n\n\|.+\n\|.+\n((?:\|.+\n)+)/gmu)];
  test('has examples of both types and of a rate of change', () => {
    expect(examples).toHaveLength(3);
  });

  test.each(examples.map(([, json = '', rows = '']) => ({ json, rows })))(
    'rates $json as it says',
    ({ json, rows }) => {
      const { thresholdType, overall, rateOfChange } = thresholdIn(json);
      for (const row of rows.trim().split('\n')) {
        const [, value = '', ...statuses] = row.split('|').map((cell) => cell.trim());
        const rated = overallReadings.map(
          (reading) =>
            statusNames[rateLimits(overall ?? rateOfChange ?? {}, thresholdType === 1 ? 1 : 2, reading, Number(value))],
        );
        expect([value, ...rated]).toEqual([value, ...statuses.slice(0, 2)]);
      }
    },
  );
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { routesOf } from '../../../api/routes';
import { apiSettings } from '../../../process/settings';
import { projectRoot } from '../../../dev/stack/project-root';
import { AlarmStatusView } from '../../../workflows/domain/alarm/alarm-status';
import { statusNames } from '../../../workflows/domain/alarm/status';
import { decode, isRecord } from '../../../workflows/domain/codecs';
import { hardLimits } from '../../../workflows/domain/limits';
import { contentTypes } from '../../../workflows/domain/measurement/measurement';
import { overallReadings, rateLimits } from '../../../workflows/domain/rating/overall-regions';
import { bandLimits } from '../../../workflows/domain/threshold/band';
import { thresholdInput, type ThresholdInput } from '../../../workflows/domain/threshold/threshold';
import { rightOf } from '../../support/either';

const textOf = (page: string): string => readFileSync(join(projectRoot, 'docs', page), 'utf8');
const guide = textOf('thresholds.md');

describe('the guides to calls and measurements', () => {
  const guides = textOf('calls.md') + textOf('measurements.md');
  /** Their blocks of JSON, by the bold words that head each. */
  const shown = new Map(
    [...guides.matchAll(/\*\*([^*\n]+)\*\*[^\n]*\n\n```json\n(.*?)^```$/gmsu)].map(
      ([, heading = '', json = '']): [string, unknown] => [heading, JSON.parse(json)],
    ),
  );
  const settings = rightOf(apiSettings({ AUTH_JWKS_FILE: 'keys', GRANTS_FILE: 'grants' }));
  const routes = routesOf(settings, { kindOf: () => 'measurement_point' });
  const bodies = {
    'A threshold': 'setThreshold',
    'A patch': 'patchThreshold',
    'A batch': 'getThresholds',
    'An external alarm': 'setExternalAlarm',
    'A data point': 'updateAlarmStatus',
    'A spectrum': 'updateAlarmStatus',
    Answers: 'updateAlarmStatus',
  };
  test('heads each block of JSON with a body, or with a status as GET answers it', () => {
    const statuses = ['A status', 'A status of all kinds'];
    expect([...shown.keys()].sort()).toEqual([...Object.keys(bodies), ...statuses].sort());
    for (const status of statuses) expect(decode(AlarmStatusView, shown.get(status))).toSatisfy(E.isRight);
  });

  test.each(Object.entries(bodies))('shows as "%s" a body that %s takes', (heading, id) => {
    expect(routes.find((route) => route.id === id)?.accept(shown.get(heading))).toSatisfy(E.isRight);
  });

  test('shows a measurement of every content type', () => {
    const types = [...shown.values()].flatMap((one) => (isRecord(one) ? (one['contentType'] ?? []) : []));
    expect(types).toEqual(contentTypes);
  });
});

const thresholdIn = (json: string): ThresholdInput => rightOf(decode(thresholdInput(hardLimits), JSON.parse(json)));

const exampleFiles = readdirSync(join(projectRoot, 'docs/examples')).filter((name) => name.endsWith('.json'));

test.each(exampleFiles.filter((name) => name !== 'outer-race.json'))('%s is a threshold that can be set', (name) => {
  expect(() => thresholdIn(textOf(`examples/${name}`))).not.toThrow();
});

describe('the guide to thresholds', () => {
  const blocks = [...guide.matchAll(/^```json\n(.*?)^```$/gmsu)].map(([, json = '']) => json);
  test.each(blocks)('shows a threshold that can be set: %s', (json) => {
    expect(() => thresholdIn(json)).not.toThrow();
  });

  test('says what the relative limit of its band comes to', () => {
    const threshold = blocks.map(thresholdIn).find(({ fullScale }) => fullScale !== undefined);
    const { fullScale, bandAlarms: [{ overallAlarmThreshold: limits } = {}] = [] } = threshold ?? {};
    const { upperDanger } = bandLimits(limits, threshold ?? {});
    expect(guide).toContain(`DANGER from ${limits?.upperDanger?.value} × ${fullScale} = ${upperDanger} mm/s`);
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

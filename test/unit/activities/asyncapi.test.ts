import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { documentOf } from '../../../activities/asyncapi/document';
import { examples } from '../../../activities/asyncapi/examples';
import { yamlOf } from '../../../activities/asyncapi/yaml';
import { eventCodecs } from '../../../workflows/domain/wire/event';
import { decode } from '../../../workflows/domain/codecs';

test('the examples are events of their types', () => {
  const { PointAlarmStatusEvent: status, SetPointAlarmThresholdEvent: threshold } = examples;
  expect(decode(eventCodecs.PointAlarmStatusEvent, status)).toEqual(E.right(status));
  expect(decode(eventCodecs.SetPointAlarmThresholdEvent, threshold)).toEqual(E.right(threshold));
});

test('the document names the stream and the attributes as they are set, and forbids no further members', () => {
  const text = JSON.stringify(documentOf({ stream: 'our-alarms', attributePrefix: 'Our' }));
  expect(text).toContain('"address":"our-alarms"');
  expect(text).toContain('"Our.EventType"');
  expect(text).not.toContain('Vendor');
  expect(text).not.toContain('additionalProperties');
});

describe('YAML', () => {
  test.each<[name: string, value: unknown, yaml: string]>([
    [
      'nested objects and lists',
      { a: { b: [1, { c: 'd', e: [] }, 'f'] } },
      '\na:\n  b:\n    - 1\n    - c: d\n      e: []\n    - f',
    ],
    ['lists in lists', [[1], []], '\n- - 1\n- []'],
    ['empty objects, numbers, truths', { a: {}, b: 1.5, c: true, d: null }, '\na: {}\nb: 1.5\nc: true\nd: null'],
    [
      'texts that are something else in YAML',
      ['1.0', 'no', 'null', '', ' a', 'a: b', 'a #b', '$ref', "it's", 'a '],
      '\n- "1.0"\n- "no"\n- "null"\n- ""\n- " a"\n- "a: b"\n- "a #b"\n- "$ref"\n- "it\'s"\n- "a "',
    ],
    ['names that are something else in YAML', { on: 1, $ref: '#/a' }, '\n"on": 1\n"$ref": "#/a"'],
  ])('writes %s', (_name, value, yaml) => {
    expect(yamlOf(value)).toBe(yaml);
  });
});

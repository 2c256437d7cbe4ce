import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { part } from '../../../../cli/arguments';
import { acknowledgementOf, matchersOf } from '../../../../cli/forward/alertmanager/acknowledgements';
import { alarmParts } from '../../../../workflows/domain/alarm/alarm-lines';
import { startAnsweringServer } from '../../../support/answering-server';
import { runHere } from '../../../support/run-program';
import { anId } from '../../../support/scenario';

const ofSilence = {
  ...{ id: 'x', startsAt: '2026-01-31T10:00:00.000Z', endsAt: '2026-01-31T14:00:00.000Z' },
  ...{ createdBy: 'mary', comment: 'on my way' },
};
const names = alarmParts({
  ...{ overallAlarm: { status: 2 }, rateOfChangeAlarm: { status: 2 }, inspectionAlarm: { status: 2 } },
  ...{
    externalAlarm: { status: 2 },
    bandAlarms: [{ status: 2 }, { status: 2 }],
    halAlarms: [{ label: 'BPFO', status: 2 }],
  },
}).map(({ part: name }) => name);

describe('a silence', () => {
  test('matches the node alone, or one part of it', () => {
    const exact = { isRegex: false, isEqual: true };
    const node = { name: 'node', value: anId(1), ...exact };
    expect(matchersOf({ node: anId(1), part: null })).toEqual([node]);
    expect(matchersOf({ node: anId(1), part: 'band 0' })).toEqual([node, { name: 'part', value: 'band 0', ...exact }]);
  });

  test('of an acknowledgement is read as the same', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.constantFrom(null, ...names), (node, of) => {
        const matchers = matchersOf({ node, part: of });
        const { id, startsAt: at, endsAt: until, createdBy: by, comment } = ofSilence;
        expect(acknowledgementOf({ ...ofSilence, matchers })).toEqual([{ id, node, part: of, at, until, by, comment }]);
      }),
    );
  });

  test.each<[what: string, name: string, changes: object]>([
    ['a matcher of another label', 'plant', {}],
    ['an expression', 'part', { isRegex: true }],
    ['what does not match', 'part', { isEqual: false }],
    ['another alert', 'alertname', {}],
  ])('with %s is none', (_, name, changes) => {
    const matchers = [...matchersOf({ node: anId(1), part: null }), { name, value: 'overall', ...changes }];
    expect(acknowledgementOf({ ...ofSilence, matchers })).toEqual([]);
  });
});

test('a part is what alerts call it', () => {
  expect(names).toHaveLength(7);
  for (const name of names) expect(part(name)).toBe(name);
  for (const name of ['Overall', 'band', 'band 01', 'band -1', 'hal 0', ''])
    expect(() => part(name), name).toThrow('A part is overall');
});

/** What the command reports, and what commander writes to standard error by itself. */
const wrongly = async (...args: ReadonlyArray<string>) => {
  const written: string[] = [];
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  const { code, out, err } = await runHere('.', 'ack', ...args).finally(() => spy.mockRestore());
  return { code, out, lines: [...written, ...err].join('\n') };
};

describe('wrong use is named, and nobody is asked', () => {
  const NODE = anId(1);
  const good = [NODE, 'overall', '--for', '4h', '--by', 'mary', '--comment', 'on my way'];
  const without = (option: string): ReadonlyArray<string> => good.toSpliced(good.indexOf(option), 2);
  const instead = (option: string, value: string): ReadonlyArray<string> => good.with(good.indexOf(option) + 1, value);
  test.each<[what: string, args: ReadonlyArray<string>, said: RegExp]>([
    ['nothing', [], /a node, --list or --end is missing/u],
    ['no node', ['x', ...good.slice(1)], /A node is a UUID/u],
    ['no part', [NODE, 'bearing', ...good.slice(2)], /A part is overall/u],
    ['no time', without('--for'), /--for is missing/u],
    ['a time too short', instead('--for', '59s'), /'--for <time>'.*It is from 60s to 31d/u],
    ['a time too long', instead('--for', '32d'), /'--for <time>'.*It is from 60s to 31d/u],
    ['a time without a unit', instead('--for', '4'), /'--for <time>'.*A time is a number with a unit/u],
    ['no comment', without('--comment'), /--comment is missing/u],
    ['a blank comment', instead('--comment', ' '), /'--comment <text>'.*It is text of 1 to 1000 characters/u],
    ['a comment too long', instead('--comment', 'x'.repeat(1_001)), /It is text of 1 to 1000 characters/u],
    ['nobody', without('--by'), /--by is missing/u],
    ['a name too long', instead('--by', 'x'.repeat(101)), /'--by <name>'.*It is text of 1 to 100 characters/u],
    ['an id that is none', ['--end', 'x'], /'--end <id>'.*An acknowledgement has a UUID/u],
    ['a list and an end', ['--list', '--end', NODE], /cannot be used with option/u],
    ['a list for a time', ['--list', '--for', '4h'], /cannot be used with option/u],
    ['a list of a node', ['--list', NODE], /--list takes no node/u],
    ['the end of a node', ['--end', anId(2), NODE], /--end takes no node/u],
  ])('%s', async (_, args, said) => {
    const { code, out, lines } = await wrongly('--url', 'http://127.0.0.1:1', ...args);
    expect([code, out, lines]).toEqual([2, [], expect.stringMatching(said)]);
  });

  test('no Alertmanager', async () => {
    const wrong = await wrongly(...good);
    expect([wrong.code, wrong.lines]).toEqual([
      2,
      expect.stringContaining("required option '--url <url>' not specified"),
    ]);
    const { code, err } = await runHere('.', 'ack', '--url', 'http://127.0.0.1:1', ...good);
    expect([code, err]).toEqual([3, [expect.stringMatching(/^Alertmanager at 127\.0\.0\.1:1 does not answer: /u)]]);
  });
});

describe('what others keep in Alertmanager does not hold up acknowledgements', () => {
  const alertmanager = async () => {
    const silence = {
      ...ofSilence,
      endsAt: '9999-01-01T00:00:00.000Z',
      matchers: matchersOf({ node: anId(1), part: null }),
    };
    const value = Array.from({ length: 200 }, (_, n) => anId(n)).join('|');
    const others = {
      ...silence,
      id: 'y',
      createdBy: 'x'.repeat(2_000),
      matchers: [{ name: 'node', value, isRegex: true }],
    };
    const alert = { labels: { alertname: 'PointAlarm', node: anId(1), part: 'overall' } };
    const server = await startAnsweringServer(({ method, url = '' }, response) => {
      if (method === 'POST') return void response.end('{"silenceID":"z"}');
      response.end(
        JSON.stringify(url.includes('silences') ? [others, silence] : [{ labels: { node: anId(1) } }, alert]),
      );
    });
    onTestFinished(server.close);
    return server.url;
  };

  test('a silence with a long expression', async () => {
    const { code, out, err } = await runHere('.', 'ack', '--list', '--json', '--url', await alertmanager());
    expect([code, err, out.map((line) => (JSON.parse(line) as { id: string }).id)]).toEqual([0, [], ['x']]);
  });

  test('an alert without a name', async () => {
    const args = [anId(1), 'overall', '--for', '4h', '--by', 'mary', '--comment', 'on my way', '--json'];
    const { code, err } = await runHere('.', 'ack', ...args, '--url', await alertmanager());
    expect([code, err]).toEqual([0, []]);
  });
});

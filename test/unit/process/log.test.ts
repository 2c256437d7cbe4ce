import { describe, expect, test, vi } from 'vitest';
import { createLog, linesTo, withoutRedaction } from '../../../process/log';

const logged = (level: string, write: (log: ReturnType<typeof createLog>) => void): ReadonlyArray<string> => {
  const lines: string[] = [];
  write(createLog({ level, process: 'api' }, { write: (line: string) => void lines.push(line) }));
  return lines;
};

describe('a log record', () => {
  test('is one line of JSON with its level, its time and its process', () => {
    const [line = ''] = logged('info', (log) => log.info({ nodeId: 'n' }, 'two\nlines'));
    expect(line.trimEnd()).not.toContain('\n');
    const record: unknown = JSON.parse(line);
    expect(record).toMatchObject({ level: 'info', process: 'api', nodeId: 'n', msg: 'two\nlines' });
    expect(record).toHaveProperty('time', expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u));
  });

  test('below the level is not written', () => expect(logged('warn', (log) => log.info('quiet'))).toEqual([]));

  test.each([
    ['a header', { authorization: 'Bearer geheim' }],
    ['a header in capitals', { Authorization: 'geheim' }],
    ['headers', { headers: { authorization: 'Bearer geheim', cookie: 'geheim' } }],
    ['a request', { req: { headers: { authorization: 'Bearer geheim' } } }],
    ['a token', { token: 'geheim' }],
    ['a token inside', { caller: { token: 'geheim' } }],
    ['connection settings', { temporal: { apiKey: 'geheim' }, redis: { password: 'geheim' } }],
  ])('hides %s', (_, fields) => {
    const [line] = logged('info', (log) => log.info(fields, 'called'));
    expect(line).toContain('[hidden]');
    expect(line).not.toContain('geheim');
  });

  test('is not searched for secrets where it can have none', () => {
    const [line = ''] = logged('info', (log) => withoutRedaction(log).info({ nodeId: 'n', token: 'shown' }, 'called'));
    expect(JSON.parse(line)).toMatchObject({ process: 'api', nodeId: 'n', token: 'shown', msg: 'called' });
  });

  test('shows the stack of an error', () => {
    const [line] = logged('info', (log) => log.error({ err: new Error('oh') }, 'failed'));
    expect(JSON.parse(line ?? '')).toMatchObject({
      err: { message: 'oh', stack: expect.stringContaining('log.test') },
    });
  });
});

test('lines stay whole where they are taken in part, wait for a reader, and the number of lost ones is told', async () => {
  let room = 0;
  let taken = '';
  const write = (bytes: Uint8Array): number => {
    const part = Buffer.from(bytes).subarray(0, room).toString();
    if (part === '') throw new Error('EAGAIN');
    room -= part.length;
    taken += part;
    return part.length;
  };
  const lines = linesTo(write, (lost) => void lines.write(`${lost} lost\n`), 8);
  const written = (more: number, line: string): string => {
    room += more;
    lines.write(`${line}\n`);
    return taken;
  };
  expect(written(0, 'one')).toBe('');
  expect(written(2, 'two')).toBe('on');
  expect(written(0, 'three')).toBe('on');
  expect(written(0, 'four')).toBe('on');
  expect(written(4, '5')).toBe('one\ntw');
  room = 100;
  await vi.waitFor(() => expect(taken).toBe('one\ntwo\n5\n2 lost\n'));
  expect(written(0, 'six')).toBe('one\ntwo\n5\n2 lost\nsix\n');
});

test('lines whose loss could not be told stay counted', () => {
  let most = 0;
  let taken = '';
  const write = (bytes: Uint8Array): number => {
    if (bytes.length > most) throw new Error('ENOSPC');
    taken += Buffer.from(bytes).toString();
    return bytes.length;
  };
  const lines = linesTo(write, (lost) => void lines.write(`lines were lost: ${lost}\n`), 30);
  for (let count = 0; count < 102; count += 1) lines.write('a longer line\n');
  most = 14; // as long as such a line
  lines.write('lost\n');
  most = 100;
  lines.write('after\n');
  expect(taken).toBe(`${'a longer line\n'.repeat(2)}lines were lost: 101\nafter\n`);
});

import { describe, expect, test, vi } from 'vitest';
import { progressLine, showProgress } from '../../../cli/long-work';

const tally = { done: 30, before: 50, failed: 10 };

describe('how far an import is', () => {
  test.each<[name: string, total: number, ms: number, line: string]>([
    ['its speed is that of the lines that were sent', 150, 40_000, '90 of 150, 10 failed, 60 s to go'],
    ['long times are told in minutes', 100_090, 8_000, '90 of 100090, 10 failed, 334 min to go'],
    ['at first its speed is not known', 210, 1_000, '90 of 210, 10 failed'],
    ['at the end nothing is left', 90, 40_000, '90 of 90, 10 failed'],
  ])('%s', (_name, total, ms, line) => expect(progressLine(tally, total, ms)).toBe(line));
});

describe('on a terminal', () => {
  /** What stands on a terminal of `columns`, line by line. */
  const terminal = (columns: number) => {
    const lines = [''];
    const write = (text: string): void => {
      for (const part of text.split(/(\r\u001b\[K|\n)/u)) {
        if (part === '\n') lines.push('');
        else if (part === '\r\u001b[K') lines[lines.length - 1] = '';
        else lines.push(`${lines.pop() ?? ''}${part}`);
      }
    };
    return { lines, screen: { size: () => ({ rows: 24, columns }), write } };
  };

  test.each([
    [80, '███████████████░░░░░░░░░░░░░░░ 90 of 180, 10 failed'],
    [30, '████░░░░ 90 of 180, 10 failed'],
    [12, '90 of 180, '],
  ])('of %i columns a bar is cut to fit; what is told stands above it, and it leaves no trace', (columns, bar) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { lines, screen } = terminal(columns);
    const progress = showProgress({ reportScreen: screen, report: () => undefined }, 180);
    vi.advanceTimersByTime(200);
    progress.show(tally);
    expect(lines).toEqual([bar]);
    progress.report('waiting');
    vi.useRealTimers();
    expect(lines).toEqual(['waiting', bar]);
    progress.stop();
    expect(lines).toEqual(['waiting', '']);
  });

  test('a file without lines has an empty bar', () => {
    const { lines, screen } = terminal(24);
    showProgress({ reportScreen: screen, report: () => undefined }, 0);
    expect(lines).toEqual(['░░░░░░ 0 of 0, 0 failed']);
  });
});

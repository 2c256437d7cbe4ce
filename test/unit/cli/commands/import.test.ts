import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { failureLines, failureRecord, importLine, type FailedLine } from '../../../../cli/commands/import';
import { CommandFailure, exitCodes, notReachable, failureOfProblem } from '../../../../cli/failure';
import { openJournal, processItems, type Journal } from '../../../../cli/long-work';
import { readNdjson } from '../../../../cli/threshold-file';
import { anId } from '../../../support/scenario';
import { folderOfFile } from '../../../support/temporary-folder';

const folder = folderOfFile();

const journalOf = (name: string): Promise<Journal> => openJournal('import', join(folder, name), false);
const linesOf = (count: number) =>
  readNdjson(Array.from({ length: count }, (_, index) => JSON.stringify({ nodeId: anId(index) })).join('\n'));
const refused = (status: number): CommandFailure => failureOfProblem({ status, title: 'No' });

/** Runs an import over an API that answers by `answer`; tells what was sent and what failed. */
const run = async (
  count: number,
  journal: Promise<Journal>,
  answer: (nodeId: string) => E.Either<CommandFailure, undefined>,
  more: { readonly signal?: AbortSignal } = {},
) => {
  const sent: Array<readonly [string, string | undefined]> = [];
  const opened = await journal;
  const perform = importLine({
    set: async ({ nodeId }, key) => {
      sent.push([nodeId, key]);
      return answer(nodeId);
    },
    journal: opened,
    atOnce: 4,
    onFailed: () => undefined,
  });
  const { signal = new AbortController().signal } = more;
  const tally = await processItems(linesOf(count), 4, perform, signal, () => undefined);
  opened.close();
  return { sent, tally };
};
const yes = (): E.Either<CommandFailure, undefined> => E.right(undefined);

describe('an import', () => {
  test('that is repeated sends only what failed, under the same keys', async () => {
    const first = await run(9, journalOf('a'), (nodeId) => (nodeId === anId(5) ? E.left(refused(400)) : yes()));
    expect(first.tally).toEqual({ done: 8, before: 0, failed: 1 });
    const second = await run(9, journalOf('a'), yes);
    expect(second.tally).toEqual({ done: 1, before: 8, failed: 0 });
    expect(second.sent).toEqual(first.sent.filter(([nodeId]) => nodeId === anId(5)));
    expect(new Set(first.sent.map(([, key]) => key)).size).toBe(9);
  });

  test('sets again what was set back, under a key of its own; a repeat of that is one', async () => {
    const applied: Array<readonly [number, string]> = [];
    const set = async (outerHigh: number, answer = yes, name = 'back') => {
      const journal = await journalOf(name);
      const threshold = JSON.stringify({ nodeId: anId(1), thresholdType: 2, overall: { outerHigh } });
      const perform = importLine({
        set: async (_line, key) => {
          applied.push([outerHigh, key]);
          return answer();
        },
        ...{ journal, atOnce: 4, onFailed: () => undefined },
      });
      const { signal } = new AbortController();
      return processItems(readNdjson(threshold), 4, perform, signal, () => undefined).finally(journal.close);
    };
    const noAnswer = () => E.left(notReachable('The API', 'cut off'));
    await set(50);
    await set(60);
    expect(await set(50)).toMatchObject({ done: 1, before: 0 });
    expect(await set(50)).toMatchObject({ done: 0, before: 1 });
    expect(applied.map(([limit]) => limit)).toEqual([50, 60, 50]);
    expect(new Set(applied.map(([, key]) => key)).size).toBe(3);

    await set(60, noAnswer); // it may have been applied
    expect(await set(50)).toMatchObject({ done: 1, before: 0 });
    await set(60, noAnswer);
    expect(await set(60)).toMatchObject({ done: 1, before: 0 });
    const [unanswered, again] = applied.slice(-2);
    expect(again).toEqual(unanswered);

    for (const outerHigh of [50, 60]) await set(outerHigh, noAnswer, 'from the first on');
    await set(50, yes, 'from the first on');
    const [first, , last] = applied.slice(-3);
    expect(last?.[1]).not.toBe(first?.[1]);
  });

  test('with another journal uses other keys: it is no repeat of the first', async () => {
    const keys = async (name: string) => (await run(1, journalOf(name), yes)).sent[0]?.[1];
    expect(await keys('b')).not.toBe(await keys('c'));
  });

  test('sends a line again whose entry in the journal was cut off', async () => {
    await run(3, journalOf('d'), yes);
    const text = readFileSync(join(folder, 'd'), 'utf8');
    writeFileSync(join(folder, 'd'), text.slice(0, -10));
    expect((await run(3, journalOf('d'), yes)).tally).toEqual({ done: 1, before: 2, failed: 0 });
    expect((await run(3, journalOf('d'), yes)).tally).toEqual({ done: 0, before: 3, failed: 0 });
  });

  test.each<[name: string, text: string, isOne: boolean]>([
    ['an empty file', '', true],
    ['one whose first line was cut off', '{"import":"0', true],
    ['a file of something else', 'node,outerHigh\n', false],
    ['half a line of something else', 'node', false],
  ])('takes %s for a journal, or does not', async (_name, text, isOne) => {
    writeFileSync(join(folder, 'e'), text);
    const isTaken = await journalOf('e').then(
      ({ close }) => (close(), true),
      () => false,
    );
    expect(isTaken).toBe(isOne);
  });

  test.each<[name: string, failure: CommandFailure]>([
    ['nobody answers', notReachable('The API', 'refused')],
    ['the token is not taken', refused(401)],
  ])('stops at once where %s, without a failure', async (_name, failure) => {
    const { tally, sent } = await run(100, journalOf('f'), () => E.left(failure));
    expect(tally).toEqual({ done: 0, before: 0, failed: 0, stoppedBy: failure });
    expect(sent.length).toBeLessThanOrEqual(4);
  });

  test('goes on over single nodes without permission, and stops when the service has no time four times in a row', async () => {
    const one = await run(20, journalOf('g'), () => E.left(refused(403)));
    expect(one.tally).toEqual({ done: 0, before: 0, failed: 20 });
    const other = await run(20, journalOf('g'), () => E.left(refused(503)));
    expect(other.tally).toEqual({ done: 0, before: 0, failed: 3, stoppedBy: refused(503) });
  });
});

test('what Ctrl-C cut off is neither set nor failed: it is left', async () => {
  const controller = new AbortController();
  const cut = (nodeId: string): E.Either<CommandFailure, undefined> => {
    if (nodeId === anId(0)) return yes();
    controller.abort();
    return E.left(new CommandFailure(exitCodes.interrupted, ['interrupted']));
  };
  const { tally, sent } = await run(100, journalOf('i'), cut, { signal: controller.signal });
  expect(tally).toEqual({ done: 1, before: 0, failed: 0 });
  expect(sent.length).toBeLessThanOrEqual(5);
  expect((await run(100, journalOf('i'), yes)).sent[0]).toEqual(sent[1]);
});

describe('a failure', () => {
  const problem = {
    status: 400,
    title: 'The request is not valid',
    reasons: [{ name: 'overall.unit', reason: 'is odd' }],
  };

  test('is reported with the words of the API', () => {
    const failed: FailedLine = { line: 7, nodeId: anId(1), threshold: {}, failure: failureOfProblem(problem) };
    expect(failureRecord(failed)).toEqual({ line: 7, nodeId: anId(1), problem });
    expect(failureLines(failed)).toEqual(['line 7: The request is not valid (400)', 'line 7: overall.unit is odd']);
  });

  test('of the file itself is reported with its reasons', () => {
    const failed: FailedLine = { line: 8, reasons: [{ name: '', reason: 'is not JSON' }] };
    expect(failureRecord(failed)).toEqual({ line: 8, reasons: failed.reasons });
    expect(failureLines(failed)).toEqual(['line 8: is not JSON']);
  });
});

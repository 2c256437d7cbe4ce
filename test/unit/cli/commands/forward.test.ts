import { describe, expect, test, vi } from 'vitest';
import { runHere } from '../../../support/run-program';

/** What the command reports, and what commander writes to standard error by itself. */
const wrongly = async (...args: ReadonlyArray<string>) => {
  const written: string[] = [];
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  const { code, out, err } = await runHere('.', 'forward', ...args).finally(() => spy.mockRestore());
  return { code, out, lines: [...written, ...err].join('\n') };
};

const ALERTS = ['alertmanager', '--url', 'http://127.0.0.1:1'];
const JOURNAL = ['postgres', '--url', 'postgres://127.0.0.1:1/plant'];
const NO_FILE = ['postgres', '--url', 'postgres://127.0.0.1:1/plant?sslcert=/none.pem'];

describe('wrong use is named, and nobody is asked', () => {
  test.each<[what: string, args: ReadonlyArray<string>, said: RegExp]>([
    ['a time longer than a timer of Node.js', [...ALERTS, '--claim-after', '25d'], /'--claim-after <time>'.*1s to 1d/u],
    ['the same of the journal', [...JOURNAL, '--claim-after', '25d'], /'--claim-after <time>'.*It is from 1s to 1d/u],
    ['a resend that is none', [...ALERTS, '--resend', '400d'], /'--resend <time>'.*It is from 1s to 1d/u],
    ['a link without a node', [...ALERTS, '--link', 'http://127.0.0.1/'], /--link must be a URL that holds \{node\}/u],
    ['a link with half an escape', [...ALERTS, '--link', 'http://a/100%/{node}'], /--link must be a URL that holds/u],
    ['a certificate that is no file', NO_FILE, /PostgreSQL at 127\.0\.0\.1:1\/plant: ENOENT.*\/none\.pem/u],
  ])('%s', async (_, args, said) => {
    const { code, out, lines } = await wrongly(...args);
    expect([code, out, lines]).toEqual([2, [], expect.stringMatching(said)]);
  });
});

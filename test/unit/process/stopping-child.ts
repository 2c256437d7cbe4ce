import { createLog } from '../../../process/log';
import { stopInOrder } from '../../../process/stop';

/** A process that stops in order; its argument says what goes wrong. */
const fault = process.argv[2];
const hang = (): Promise<void> => new Promise(() => undefined);
const log = createLog({ level: 'info', process: 'child' });

stopInOrder({
  log,
  deadlineMs: 500,
  steps: {
    first: async () => {
      log.info('first begins');
      await new Promise((done) => setTimeout(done, 100));
      if (fault === 'step fails') throw new Error('cannot');
      log.info('first ends');
    },
    second: fault === 'step hangs' ? hang : async () => log.info('second'),
    third: () => {
      if (fault === 'step throws') throw new Error('cannot at once');
      log.info('third');
      process.stderr.write('third\n');
      return Promise.resolve();
    },
  },
});
setInterval(() => undefined, 1_000);
log.info('ready');
if (fault === 'exception') setTimeout(() => JSON.parse('{'), 10);
if (fault === 'rejection') void Promise.reject(new Error('nobody listens'));
if (fault === 'odd exception') {
  const odd = new Error('odd');
  Object.defineProperty(odd, 'stack', {
    get: () => {
      throw new Error('nobody may look');
    },
  });
  setTimeout(() => {
    throw odd;
  }, 10);
}

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { consumeEvents } from '../../../stream/consumer';

/** Consumes a stream in a process of its own, and prints how many events are handled and what the heap (bytes) then holds. */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const [, , url = '', stream = '', every = '', until = ''] = process.argv;
const stopping = new AbortController();
let handled = 0;

void consumeEvents({
  ...{ redis: { url }, stream, group: 'heap', signal: stopping.signal },
  handle: () => undefined,
  onHandled: () => {
    handled += 1;
    if (handled % Number(every) !== 0) return;
    collect();
    console.log(`${handled} ${process.memoryUsage().heapUsed}`);
    if (handled >= Number(until)) stopping.abort();
  },
});

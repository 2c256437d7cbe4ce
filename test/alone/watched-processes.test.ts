import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startService } from '../support/service';

test('an API that ends by itself is told', async () => {
  const service = await startService();
  process.kill(service.apiPid, 'SIGABRT');
  await sleep(1_000);
  await expect(service.stop()).rejects.toThrow('api ended by itself: signal SIGABRT');
});

test('an API whose event loop was late is told', async () => {
  const computes = "process.on('SIGUSR2',()=>{const end=Date.now()+1500;while(Date.now()<end);})";
  const service = await startService({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(computes)}` });
  await sleep(6_000); // its start does not count
  process.kill(service.apiPid, 'SIGUSR2');
  await sleep(4_000);
  await expect(service.stop()).rejects.toThrow('api was late by more than 250 ms in');
});

test('processes that did nothing of the kind stop as they should', async () => {
  const service = await startService();
  await sleep(2_000);
  await service.stop();
});

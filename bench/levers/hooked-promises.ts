import { AsyncLocalStorage } from 'node:async_hooks';

/* To be loaded before the API: every promise is hooked, as the SDK's client has it by itself. */

new AsyncLocalStorage<string>().enterWith('');

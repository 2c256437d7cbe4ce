import { Connection } from '@temporalio/client';

/* To be loaded before the API: its connection to Temporal repeats calls as the SDK does by itself, not only where we say so. */

// eslint-disable-next-line @typescript-eslint/unbound-method -- called on the class that it is asked of
const { lazy } = Connection;
Connection.lazy = function ({ interceptors: _, ...options } = {}) {
  return lazy.call(this, options);
};

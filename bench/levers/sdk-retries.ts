import { Connection } from '@temporalio/client';

/* To be loaded before the API: its connection to Temporal repeats calls as the SDK does by itself, not only where we say so. */

const lazy = Connection.lazy.bind(Connection);
Connection.lazy = ({ interceptors: _, ...options } = {}) => lazy(options);

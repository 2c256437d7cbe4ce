import { fakePart } from './fake-part.mjs';

fakePart('worker', process.env.WORKER_PORT);

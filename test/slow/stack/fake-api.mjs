import { fakePart } from './fake-part.mjs';

fakePart('api', process.env.PORT);

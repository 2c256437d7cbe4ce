import { writeRecordings } from './recordings';

/** Writes the recordings that docs/recordings.md works with into the folder where it is called. */
writeRecordings('.');

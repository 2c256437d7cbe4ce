import { apiSettings, orExit } from '../../../process/settings';

/** A process that starts when its settings are right. */
const { PORT } = orExit('API', apiSettings(process.env));
process.stdout.write(`starts on ${PORT}\n`);

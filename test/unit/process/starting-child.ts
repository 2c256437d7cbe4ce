import { apiSettings, orExit } from '../../../process/settings';

/** A process that starts when its settings are right. */
const { http } = orExit('API', apiSettings(process.env));
process.stdout.write(`starts on ${http.port}\n`);

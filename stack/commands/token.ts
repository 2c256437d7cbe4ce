import * as E from 'fp-ts/Either';
import { join } from 'node:path';
import { developmentToken, tokenRequest, USAGE } from '../dev-auth';
import { dataFolder } from '../project-root';
import { runEntry } from './run-entry';

/** `npm run token`: prints a token and nothing else. Exit code 2 when the arguments are wrong. */
const main = async (): Promise<number> => {
  const request = tokenRequest(process.argv.slice(2));
  if (E.isLeft(request)) {
    process.stderr.write(`${request.left}; ${USAGE}\n`);
    return 2;
  }
  process.stdout.write(`${await developmentToken(join(dataFolder, 'dev-auth'), request.right)}\n`);
  return 0;
};

void runEntry(main);

import { isFault } from './fault';

const ATTEMPTS = 5;

/** Starts something on ports that `start` chooses, again on others when somebody took one between choice and start. */
export const startOnFreePort = async <A>(start: () => Promise<A>, attempts = ATTEMPTS): Promise<A> => {
  try {
    return await start();
  } catch (thrown) {
    const taken = isFault(thrown) && /address already in use/i.test(thrown.message);
    if (!taken || attempts <= 1) throw thrown;
    return startOnFreePort(start, attempts - 1);
  }
};

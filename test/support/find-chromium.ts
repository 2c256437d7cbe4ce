import * as E from 'fp-ts/Either';
import { setting } from '../../stack/environment';
import { fault } from '../../stack/fault';
import { finder } from '../../stack/find-commands';
import { isExecutable } from '../../stack/run-command';

/** A Chromium, for the tests of the documentation page. Errors: a fault, too, when CHROMIUM is set and does not serve. */
export const findChromium = finder(
  'Chromium',
  ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  (env) => [
    {
      name: 'CHROMIUM',
      find: () => {
        const path = setting(env, 'CHROMIUM');
        if (path === undefined) return E.left('set it to the path of a chromium or google-chrome command');
        if (!isExecutable(path)) throw fault(`CHROMIUM does not serve: ${path} is no command`);
        return E.right(path);
      },
    },
  ],
);

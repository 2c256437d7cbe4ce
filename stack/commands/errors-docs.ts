import { catalogue, problemTypes } from '../../api/http/problems/catalogue';
import { explanationOf } from '../../api/http/problems/problem';
import { generate } from './generated-document';

/** docs/errors.md: the catalogue of problems. */
const head = [
  '# Errors',
  '',
  'Every answer of 4xx and 5xx is `application/problem+json` (RFC 9457). Programs go by `type`: it stays, titles and details may change. The running service explains each type at the address that `type` is.',
  '',
  '| Member | Holds |',
  '|---|---|',
  '| `type` | the address of the type |',
  '| `title`, `status` | the type in words, and its HTTP status |',
  '| `detail` | what happened in this call |',
  '| `instance` | the address that was called |',
  '| `requestId` | the name of the call, as in the header `X-Request-Id` and in the log |',
  '',
  'This page is made by `npx tsx stack/commands/errors-docs.ts --write`.',
  '',
];

const rows = [
  '| status | type | title |',
  '|---|---|---|',
  ...problemTypes.map((type) => `| ${catalogue[type].status} | [${type}](#${type}) | ${catalogue[type].title} |`),
  '',
];

const page = [...head, ...rows, ...problemTypes.map(explanationOf)].join('\n');

void generate('stack/commands/errors-docs.ts', [{ path: 'docs/errors.md', text: () => page }]);

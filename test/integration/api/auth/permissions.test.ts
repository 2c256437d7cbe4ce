import * as E from 'fp-ts/Either';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPdp } from '../../../../api/auth/authorizer';
import type { Grant } from '../../../../api/auth/grants';
import { actions, type Permission } from '../../../../api/ports';
import { settingsWith } from '../../../support/api/settings';
import { recordedLog } from '../../../support/recorded-log';
import { endpoints, GET_STATUS, other, parents, pump, rows } from '../../../unit/api/auth/permission-rows';
import { startCedar, type CedarProcess } from './cedar-process';

const nodes = [
  ...[...new Set(Object.values(parents))].filter((id) => parents[id] === undefined).map((id) => ({ id })),
  ...Object.entries(parents).map(([id, parent]) => ({ id, parent })),
];

let cedar: CedarProcess;
let authorizer: ReturnType<typeof createPdp>;
beforeAll(async () => {
  cedar = await startCedar({ nodes });
  const settings = settingsWith({ AUTHORIZER_TIMEOUT_MS: 20_000, CALL_DEADLINE_MS: 20_000, AUTHORIZER_CACHE_MS: 0 });
  authorizer = createPdp(cedar.url, settings, recordedLog().log, new Registry());
});
afterAll(async () => {
  authorizer.close();
  await cedar.remove();
});

const lacking = async (user: string, wanted: ReadonlyArray<Permission>) => {
  const found = await authorizer.violations(user, wanted)();
  return E.isRight(found) ? found.right : found.left;
};

/** Rows are decided by one set of grants: what one row grants must mean nothing to another, so each has an Ada of its own. */
const ofRow = (row: number, user: string): string => (/^ada$/iu.test(user) ? `${user}-${row}` : user);
const isForEveryone = ({ user }: Grant): boolean => user === '*';

describe('a grant', () => {
  const numbered = rows.map((row, number) => [number, ...row] as const);

  test('gives what it should to its user', async () => {
    await cedar.grant(
      numbered
        .map(([row, , grant]) => ({ ...grant, user: ofRow(row, grant.user) }))
        .filter((one) => !isForEveryone(one)),
    );
    for (const [row, name, grant, user, action, resource, expected] of numbered) {
      if (isForEveryone(grant)) continue;
      const found = await lacking(ofRow(row, user), [{ action, resource }]);
      expect(found, name).toEqual(expected === 'allowed' ? [] : [{ action, resource }]);
    }
  });

  test('gives what it should to everyone', async () => {
    for (const [, grant, user, action, resource, expected] of rows.filter(([, one]) => isForEveryone(one))) {
      await cedar.grant([grant]);
      expect(await lacking(user, [{ action, resource }])).toEqual(expected === 'allowed' ? [] : [{ action, resource }]);
    }
  });

  test('to a UUID holds in either case', async () => {
    const user = '0B6F0C1A-7C55-4C3B-8A54-6C0E5B1F2D3E';
    await cedar.grant([{ user, actions: ['*'], node: '*' }]);
    expect(await lacking(user.toLowerCase(), [{ action: GET_STATUS, resource: pump }])).toEqual([]);
  });
});

test('each endpoint lacks just what is not granted', async () => {
  const cases = endpoints.flatMap(([name, wanted], endpoint) => {
    const needed = [...new Set(wanted.map(({ action }) => action))];
    return [
      { name, user: `${endpoint} on the node`, grants: [{ actions: needed, node: pump }], lacks: [] },
      { name, user: `${endpoint} without a grant`, grants: [], lacks: wanted },
      {
        name,
        user: `${endpoint} elsewhere`,
        grants: [{ actions: needed, node: other }],
        lacks: wanted.filter(({ resource }) => resource !== '*'),
      },
      ...needed.map((missing) => ({
        name,
        user: `${endpoint} but ${missing}`,
        grants: [{ actions: actions.filter((action) => action !== missing), node: '*' }],
        lacks: wanted.filter(({ action }) => action === missing),
      })),
    ].map((one) => ({ ...one, wanted }));
  });
  await cedar.grant(cases.flatMap(({ user, grants }) => grants.map((grant) => ({ user, ...grant }))));
  for (const { name, user, wanted, lacks } of cases) {
    expect(await lacking(user, wanted), `${name}: ${user}`).toEqual(lacks);
  }
});

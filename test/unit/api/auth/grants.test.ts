import * as E from 'fp-ts/Either';
import { mkdir, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createGrants } from '../../../../api/auth/grants';
import { createHierarchy, type NodeHierarchy } from '../../../../api/auth/hierarchy';
import type { Authorizer } from '../../../../api/ports';
import { recordedLog } from '../../../support/recorded-log';
import { replaceByRename, temporaryFolder, writeJson } from './tokens';
import { rightOf } from '../../../support/either';

const GET_STATUS = 'POINT_ALARM_STATUS::GET_ALARM_STATUS';
const id = (last: number): string => `00000000-0000-4000-8000-${String(last).padStart(12, '0')}`;
const [plant, pump, motor] = [id(1), id(2), id(3)];
const plantTree = {
  nodes: [
    { id: motor, parent: pump, type: 'measurement_point' },
    { id: pump, parent: plant, type: 'machine' },
    { id: plant, parent: null, type: 'plant' },
  ],
};
const grantTo = (user: string, node: string) => ({ grants: [{ user, actions: [GET_STATUS], node }] });

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
const open: { readonly close: () => void }[] = [];
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  folder = await temporaryFolder();
});
afterEach(async () => {
  vi.useRealTimers();
  open.splice(0).forEach(({ close }) => close());
  await folder.remove();
});

/** The files are looked at so many times, once a second. */
const looks = async (times: number): Promise<void> => {
  for (let look = 0; look < times; look += 1) {
    vi.advanceTimersByTime(1_000);
    for (let step = 0; step < 5; step += 1) await stat(folder.path('.')); // time for the look itself
  }
};
const until = (holds: () => unknown): Promise<void> =>
  vi.waitFor(async () => {
    await looks(1);
    expect(await holds()).toBe(true);
  });

const kept = <A extends { readonly close: () => void }>(made: E.Either<string, A>): A => {
  open.push(rightOf(made));
  return rightOf(made);
};
const faultOf = (made: E.Either<string, unknown>): string => (E.isLeft(made) ? made.left : 'none');

describe('the hierarchy', () => {
  test('takes every id for a measurement point without a file', () => {
    const hierarchy = kept(createHierarchy(undefined, recordedLog().log));
    expect(hierarchy.kindOf(motor)).toBe('measurement_point');
    expect(hierarchy.parentOf(motor)).toBeUndefined();
  });

  test('knows measurement points, other nodes and what it does not know, in either case', async () => {
    await writeJson(folder.path('h.json'), {
      nodes: [
        { id: id(1).toUpperCase(), type: 'plant' },
        { id: id(2), parent: id(1).toUpperCase(), type: 'measurement_point' },
      ],
    });
    const hierarchy = kept(createHierarchy(folder.path('h.json'), recordedLog().log));
    expect([id(1), id(2), id(9)].map(hierarchy.kindOf)).toEqual(['other', 'measurement_point', 'unknown']);
    expect(hierarchy.parentOf(id(2))).toBe(id(1));
  });

  const node = (own: number, parent?: number) => ({
    ...{ id: id(own), type: 'x' },
    ...(parent !== undefined && { parent: id(parent) }),
  });
  test.each([
    ['an unknown parent', [node(1, 9)], 'nodes.0.parent must be the id of a node'],
    ['an id twice', [node(10), { ...node(10), id: id(10).toUpperCase() }], 'nodes.0.id must be unique'],
    ['a node that is its own parent', [node(1, 1)], 'nodes.0.parent must not be a descendant'],
    ['a circle', [node(4), node(1, 3), node(2, 1), node(3, 2)], 'nodes.1.parent must not be a descendant'],
    ['a node below a circle, once', [node(3, 2), node(1, 2), node(2, 1)], 'of the node, or the node itself$'],
    ['no type', [{ id: id(1) }], 'nodes.0.type is required'],
    ['an id that is no UUID', [{ id: 'pump', type: 'x' }], 'nodes.0.id must be a UUID'],
    ['a member that it does not know', [{ ...node(1), parnet: id(2) }], 'nodes.0.parnet is not a known property'],
  ])('refuses %s, in one line', async (_, nodes, reason) => {
    await writeJson(folder.path('h.json'), { nodes });
    const fault = faultOf(createHierarchy(folder.path('h.json'), recordedLog().log));
    expect(fault).toMatch(new RegExp(`^HIERARCHY_FILE .*h.json is not valid: .*${reason}`, 'u'));
    expect(fault).not.toContain('\n');
  });

  test('reads a hundred thousand nodes', async () => {
    const nodes = Array.from({ length: 100_000 }, (_, n) => ({
      id: id(n),
      ...(n > 0 && { parent: id(Math.floor((n - 1) / 3)) }),
      type: 'measurement_point',
    }));
    await writeJson(folder.path('h.json'), { nodes });
    const hierarchy = kept(createHierarchy(folder.path('h.json'), recordedLog().log));
    expect(hierarchy.kindOf(id(99_999))).toBe('measurement_point');
  }, 20_000);
});

describe('grants of a file', () => {
  const made = (hierarchy: Pick<NodeHierarchy, 'parentOf'> = { parentOf: () => undefined }) => {
    const { log, records } = recordedLog();
    return { grants: createGrants(folder.path('g.json'), hierarchy, log), records };
  };
  const allows = async ({ violations }: Authorizer, user: string, node: string): Promise<boolean> => {
    const found = await violations(user, [{ action: GET_STATUS, resource: node }])();
    return E.isRight(found) && found.right.length === 0;
  };

  test('cover what the hierarchy has below their node', async () => {
    await writeJson(folder.path('h.json'), plantTree);
    await writeJson(folder.path('g.json'), grantTo('ada', plant));
    const hierarchy = kept(createHierarchy(folder.path('h.json'), recordedLog().log));
    const grants = kept(made(hierarchy).grants);
    expect(await allows(grants, 'ada', motor)).toBe(true);
    expect(await allows(grants, 'ada', id(8))).toBe(false);
    expect(await allows(grants, 'bob', motor)).toBe(false);
  });

  const granted = (user: string, of: string, node: string) =>
    `{"grants": [{"user": ${user}, "actions": ${of}, "node": ${node}}]}`;
  test.each([
    ['no file', undefined, 'is not there'],
    ['a file that is no JSON', '{"grants": [', 'is not valid: must be JSON'],
    ['a file that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'is not UTF-8'],
    ['no grants', '{}', 'is not valid: grants is required'],
    ['an unknown action', granted('"a"', '["GET"]', '"*"'), 'grants.0.actions.0 must be one of POINT_ALARM_STATUS::'],
    ['a node that is no UUID', granted('"a"', '[]', '"pump"'), 'grants.0.node must be a UUID'],
    ['an empty user', granted('""', '[]', '"*"'), 'grants.0.user must be text of 1 to 256'],
    ['a member twice', '{"grants": [], "grants": []}', 'is not valid: grants is named twice'],
    ['a member twice in a grant', granted('"a", "user": "b"', '[]', '"*"'), 'grants.0.user is named twice'],
    ['an empty file', '', 'is empty'],
    ['several faults', granted('""', '{}', '"x"'), String.raw`\(and 2 more\)$`],
  ])('are refused at start for %s, in one line', async (_, content, reason) => {
    if (content !== undefined) await writeFile(folder.path('g.json'), content);
    const fault = faultOf(made().grants);
    expect(fault).toMatch(new RegExp(`^GRANTS_FILE .*g.json .*${reason}`, 'u'));
    expect(fault).not.toContain('\n');
  });

  test('are refused at start when the file is a folder', async () => {
    await mkdir(folder.path('g.json'));
    expect(faultOf(made().grants)).toMatch(/^GRANTS_FILE .*g.json cannot be read \(EISDIR\)$/u);
  });

  test('change with the file: written over, replaced by renaming, gone and back', async () => {
    await writeJson(folder.path('g.json'), grantTo('ada', '*'));
    const grants = kept(made().grants);
    expect(await allows(grants, 'ada', pump)).toBe(true);
    await writeJson(folder.path('g.json'), grantTo('bob', '*')); // as long as before
    await utimes(folder.path('g.json'), 1, 1); // its time may be the same as well: that of the last tick
    await until(() => allows(grants, 'bob', pump));
    expect(await allows(grants, 'ada', pump)).toBe(false);
    await replaceByRename(folder.path('g.json'), grantTo('eve', '*'));
    await until(() => allows(grants, 'eve', pump));
    await rename(folder.path('g.json'), folder.path('away.json'));
    await looks(2);
    expect(await allows(grants, 'eve', pump)).toBe(true);
    await replaceByRename(folder.path('g.json'), grantTo('kim', '*'));
    await until(() => allows(grants, 'kim', pump));
  });

  test('stay as they are, and say so once, when the new version is broken', async () => {
    await writeJson(folder.path('g.json'), grantTo('ada', '*'));
    const { grants: either, records } = made();
    const grants = kept(either);
    await writeFile(folder.path('g.json'), '{"grants": [{"user": "bob"}]}');
    await until(() => records.length > 0);
    await looks(2);
    expect(await allows(grants, 'ada', pump)).toBe(true);
    expect(await allows(grants, 'bob', pump)).toBe(false);
    expect(records.map(({ level, msg }) => [level, msg])).toEqual([
      ['error', 'a new version is refused, the old one stays'],
    ]);
    expect(records[0]?.['reason']).toContain('grants.0.actions is required');
    await writeJson(folder.path('g.json'), grantTo('bob', '*'));
    await until(() => allows(grants, 'bob', pump));
  });

  test('are not looked at any more once closed', async () => {
    await writeJson(folder.path('g.json'), grantTo('ada', '*'));
    const grants = kept(made().grants);
    grants.close();
    await writeJson(folder.path('g.json'), grantTo('bob', '*'));
    await looks(2);
    expect(await allows(grants, 'ada', pump)).toBe(true);
  });
});

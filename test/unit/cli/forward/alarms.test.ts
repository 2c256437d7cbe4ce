import { expect, test } from 'vitest';
import {
  afterEvent,
  alarmsAt,
  alarmsOf,
  changedParts,
  noDelays,
  type Delays,
  type NodeAlarms,
} from '../../../../cli/forward/alertmanager/alarms';
import type { Status } from '../../../../workflows/domain/alarm/status';

type AlarmRow = readonly [severity: string, startsAt: number, endsAt?: number];
type Row = readonly [
  name: string,
  events: ReadonlyArray<readonly [at: number, status: Status]>,
  alarmRows: ReadonlyArray<AlarmRow>,
];

const of = (hold: number, keepFiringFor: number) => ({ for: hold, keepFiringFor });
const both = (hold: number, keep: number): Delays => ({ danger: of(hold, keep), alert: of(hold, keep) });
const afterAll = (events: Row[1], delays: Delays): NodeAlarms =>
  events.reduce(
    (alarms, [at, status]) =>
      afterEvent(alarms, { parts: [{ part: 'overall', status }], limits: {}, at, notifiedUntil: at, now: at }, delays),
    alarmsOf(),
  );
const NOW = 100;
const alarmRows = (events: Row[1], delays: Delays): ReadonlyArray<AlarmRow> => {
  const { active, ended } = alarmsAt(afterAll(events, delays), NOW, delays);
  return [
    ...ended.map(({ severity, startsAt, endsAt }): AlarmRow => [severity, startsAt, endsAt]),
    ...active.map(({ severity, startsAt }): AlarmRow => [severity, startsAt]),
  ];
};

// For 10, and kept firing for 5.
test.each<Row>([
  [
    'crossed and good before it lasted',
    [
      [0, 4],
      [9, 2],
    ],
    [],
  ],
  [
    'crossed for just so long',
    [
      [0, 4],
      [10, 2],
    ],
    [['danger', 10, 15]],
  ],
  [
    'crossed for longer',
    [
      [0, 4],
      [20, 2],
    ],
    [['danger', 10, 25]],
  ],
  ['crossed, and nothing since', [[0, 4]], [['danger', 10]]],
  [
    'good for less than it is kept firing',
    [
      [0, 4],
      [20, 2],
      [24, 4],
    ],
    [['danger', 10]],
  ],
  [
    'good for just so long, then pending anew',
    [
      [0, 4],
      [20, 2],
      [25, 4],
      [34, 2],
    ],
    [['danger', 10, 25]],
  ],
  [
    'without data, which is no alarm',
    [
      [0, 4],
      [20, 1],
    ],
    [['danger', 10, 25]],
  ],
  [
    'crossed again and again, each too short',
    [
      [0, 4],
      [6, 2],
      [7, 4],
      [13, 2],
      [14, 4],
      [20, 2],
    ],
    [],
  ],
  [
    'worse while it is pending: both severities hold',
    [
      [0, 3],
      [5, 4],
      [20, 3],
      [30, 3],
    ],
    [
      ['danger', 15, 25],
      ['alert', 25],
    ],
  ],
  [
    'between both severities: ALERT holds all the time',
    [
      [0, 3],
      [4, 4],
      [8, 3],
      [12, 4],
      [14, 3],
    ],
    [['alert', 10]],
  ],
  [
    'pending when the clock is set back: it lasts by the new time',
    [
      [80, 4],
      [20, 4],
    ],
    [['danger', 30]],
  ],
  [
    'good when the clock is set back: it ends by the new time',
    [
      [0, 4],
      [80, 2],
      [20, 2],
    ],
    [['danger', 10, 25]],
  ],
  [
    'good from DANGER: ALERT is not told of a part that is good',
    [
      [0, 4],
      [20, 2],
    ],
    [['danger', 10, 25]],
  ],
])('with delays: %s', (_, events, then) => expect(alarmRows(events, both(10, 5))).toEqual(then));

test.each<Row>([
  [
    'DANGER at once, ALERT once it lasted',
    [
      [0, 4],
      [5, 3],
      [12, 2],
    ],
    [
      ['danger', 0, 5],
      ['alert', 10, 12],
    ],
  ],
  [
    'ALERT that became DANGER in time',
    [
      [0, 3],
      [9, 4],
      [30, 2],
    ],
    [['danger', 9, 30]],
  ],
  [
    'ALERT alone, too short',
    [
      [0, 3],
      [9, 2],
    ],
    [],
  ],
])('by severity: %s', (_, events, then) =>
  expect(alarmRows(events, { danger: of(0, 0), alert: of(10, 0) })).toEqual(then),
);

test('ALERT that is kept firing for longer than DANGER is not told anew of a part that is good, but at once when it is back', () => {
  const delays = { danger: of(0, 0), alert: of(10, 50) };
  expect(
    alarmRows(
      [
        [0, 4],
        [20, 2],
      ],
      delays,
    ),
  ).toEqual([['danger', 0, 20]]);
  expect(
    alarmRows(
      [
        [0, 4],
        [20, 2],
        [30, 3],
      ],
      delays,
    ),
  ).toEqual([
    ['danger', 0, 20],
    ['alert', 30],
  ]);
});

test('without delays alarms are kept as they always were', () => {
  const parts = [{ part: 'band 0', status: 4 as const, label: 'low', measurement: 'm', value: 3, unit: 'g', why: 'x' }];
  const event = { parts, limits: { 'band 0': 'danger 2' }, at: 7, notifiedUntil: 8, now: 9 };
  const alarms = afterEvent(alarmsOf(), event, noDelays);
  const alarm =
    '"part":"band 0","label":"low","measurement":"m","value":3,"unit":"g","severity":"danger","startsAt":7,"limits":"danger 2"';
  expect(JSON.stringify(alarms)).toBe(`{"active":[{${alarm}}],"ended":[]}`);
  const good = afterEvent(
    alarms,
    { ...event, parts: [{ part: 'band 0', status: 2, label: 'low' }], at: 17, now: 19 },
    noDelays,
  );
  expect(JSON.stringify(good)).toBe(`{"active":[],"ended":[{${alarm},"endsAt":17,"handledAt":19}]}`);
  expect(alarmsAt(alarms, NOW, noDelays)).toEqual(alarms);
});

test('what was told by an event that the next one, which came late, takes back is ended', () => {
  const alarms = afterAll([[0, 4]], both(10, 5));
  const event = { parts: [{ part: 'overall', status: 2 as const }], limits: {}, at: 8, notifiedUntil: 12, now: 13 };
  const { active, ended } = afterEvent(alarms, event, both(10, 5));
  expect([active, ended]).toEqual([
    [],
    [{ part: 'overall', severity: 'danger', startsAt: 10, endsAt: 10, handledAt: 13 }],
  ]);
  const inTime = afterEvent(alarms, { ...event, notifiedUntil: 9 }, both(10, 5));
  expect(inTime).toEqual({ active: [], ended: [] });
});

test('alarms that are kept from before options were changed go on', () => {
  const before = afterAll([[0, 4]], noDelays);
  expect(alarmsAt(before, NOW, both(200, 5)).active).toMatchObject([{ severity: 'danger', startsAt: 0 }]);
  const pending = afterAll([[0, 4]], both(200, 5));
  expect(alarmsAt(pending, NOW, both(200, 5)).active).toEqual([]);
  expect(alarmsAt(pending, NOW, noDelays).active).toMatchObject([{ severity: 'danger', startsAt: 0 }]);
});

test('a part that the node no more holds is good', () => {
  const delays = both(10, 5);
  const alarms = afterAll(
    [
      [0, 4],
      [20, 4],
    ],
    delays,
  );
  const without = afterEvent(alarms, { parts: [], limits: {}, at: 30, notifiedUntil: 30, now: 30 }, delays);
  expect(alarmsAt(without, NOW, delays).ended).toMatchObject([{ severity: 'danger', startsAt: 10, endsAt: 35 }]);
});

test('a part changes when its severity does, whatever else its status was', () => {
  const change = (alarms: NodeAlarms, status: Status) => changedParts(alarms, [{ part: 'overall', status }]);
  const overall = ['["overall",""]'];
  expect([change(alarmsOf(), 2), change(alarmsOf(), 1), change(alarmsOf(), 3)]).toEqual([[], [], overall]);
  const pending = afterAll([[0, 3]], both(10, 50));
  expect([change(pending, 3), change(pending, 4), change(pending, 2)]).toEqual([[], overall, overall]);
  const kept = afterAll(
    [
      [0, 3],
      [20, 2],
    ],
    both(10, 50),
  );
  expect([change(kept, 2), change(kept, 1), change(kept, 3)]).toEqual([[], [], overall]);
  expect(changedParts(pending, [])).toEqual(overall);
});

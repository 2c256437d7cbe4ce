import { afterEvent, alarmsAt, alarmsOf, type Delays } from '../../cli/forward/alertmanager/alarms';
import { pictureColours, linePiece, picture, polyline, rectangle, textPiece, type Piece } from './svg';

/** The example's delays (minutes): how long an alarm must last until it is sent, and how long it must be good until it ends. */
const delay = { for: 10, keepFiringFor: 5 };
const delays: Delays = { danger: delay, alert: delay };

/** When (min) the value crosses its limit, and is good again; at `SHORT` and `SHORTLY_GOOD` it changes only briefly. */
const [CROSSED, GOOD] = [16, 46];
const [SHORT, SHORTLY_GOOD] = [5, 34];
const changes = [
  { at: 0, status: 2 },
  { at: SHORT, status: 4 },
  { at: SHORT + 4, status: 2 },
  { at: CROSSED, status: 4 },
  { at: SHORTLY_GOOD, status: 2 },
  { at: SHORTLY_GOOD + 3, status: 4 },
  { at: GOOD, status: 2 },
] as const;
const END = 58;

/** When (min) the alarm begins and when it ends, as Alertmanager gets it. */
const sentAlarm = (() => {
  let alarms = alarmsOf();
  let startsAt = 0;
  for (let now = 0; now <= END; now += 1) {
    for (const { at, status } of changes)
      if (at === now)
        alarms = afterEvent(
          alarms,
          { parts: [{ part: 'overall', status }], limits: {}, at, notifiedUntil: at, now },
          delays,
        );
    const { active, ended } = alarmsAt(alarms, now, delays);
    startsAt = active[0]?.startsAt ?? startsAt;
    const [over] = ended;
    if (over !== undefined) return { startsAt, endsAt: over.endsAt };
  }
  throw new Error('the alarm of the picture does not end');
})();

const [left, top, minute] = [120, 56, 11];
const [danger, good, bar] = [top + 20, top + 80, top + 130];
const [width, height] = [left + END * minute + 30, bar + 92];
const x = (at: number): number => left + at * minute;

const marked = (at: number, name: string, colour: string): ReadonlyArray<Piece> => [
  linePiece(x(at), top, x(at), bar + 34, { stroke: colour, 'stroke-dasharray': '4 3' }),
  textPiece(x(at), top - 10, name, { 'text-anchor': 'middle', 'font-weight': 600, fill: colour }),
];

const span = (from: number, to: number, name: string): ReadonlyArray<Piece> => {
  const y = bar + 52;
  return [
    linePiece(x(from), y, x(to), y, { stroke: pictureColours.pale, 'stroke-width': 2 }),
    ...[from, to].map((at) =>
      linePiece(x(at), y - 5, x(at), y + 5, { stroke: pictureColours.pale, 'stroke-width': 2 }),
    ),
    textPiece(x((from + to) / 2), y + 20, name, {
      'text-anchor': 'middle',
      'font-size': 12,
      fill: pictureColours.pale,
    }),
  ];
};

/** Draws an alarm that `pas forward --for` and `--keep-firing-for` delay: when Alertmanager is told that it began and ended. */
export const alarmTimesPicture = (): string => {
  const level = (status: number): number => (status === 4 ? danger : good);
  const steps = changes.flatMap(({ at, status }, index): ReadonlyArray<readonly [number, number]> => [
    [x(at), level(status)],
    [x(changes[index + 1]?.at ?? END), level(status)],
  ]);
  return picture(width, height, 'An alarm is crossed, told, good and ended', [
    textPiece(left - 12, danger + 5, 'DANGER', {
      'text-anchor': 'end',
      fill: pictureColours.dangerLine,
      'font-weight': 600,
    }),
    textPiece(left - 12, good + 5, 'GOOD', { 'text-anchor': 'end', fill: pictureColours.goodLine, 'font-weight': 600 }),
    textPiece(left - 12, bar + 18, 'alert', { 'text-anchor': 'end', 'font-weight': 600 }),
    rectangle(x(sentAlarm.startsAt), bar, (sentAlarm.endsAt - sentAlarm.startsAt) * minute, 26, {
      fill: pictureColours.danger,
      rx: 3,
    }),
    polyline(steps, { stroke: pictureColours.ink, 'stroke-width': 2.5 }),
    ...marked(CROSSED, 'crossed', pictureColours.pale),
    ...marked(sentAlarm.startsAt, 'told', pictureColours.dangerLine),
    ...marked(GOOD, 'good', pictureColours.pale),
    ...marked(sentAlarm.endsAt, 'ended', pictureColours.goodLine),
    textPiece(x(SHORT + 2), good + 24, 'too short', {
      'text-anchor': 'middle',
      'font-size': 12,
      fill: pictureColours.pale,
    }),
    textPiece(x(SHORTLY_GOOD + 1.5), good + 24, 'too short', {
      'text-anchor': 'middle',
      'font-size': 12,
      fill: pictureColours.pale,
    }),
    ...span(CROSSED, sentAlarm.startsAt, `--for ${delay.for}m`),
    ...span(GOOD, sentAlarm.endsAt, `--keep-firing-for ${delay.keepFiringFor}m`),
  ]);
};

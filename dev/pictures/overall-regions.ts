import { statusNames, type Status } from '../../workflows/domain/alarm/status';
import { overallReadings, overallRegions, type OverallReading } from '../../workflows/domain/rating/overall-regions';
import { pictureColours, linePiece, picture, rectangle, textPiece, type Piece } from './svg';

/** The limits, from the highest to the lowest, with the values of the example in the guide. */
const limits = [
  { name: 'outerHigh', value: 70 },
  { name: 'innerHigh', value: 50 },
  { name: 'innerLow', value: 20 },
  { name: 'outerLow', value: 10 },
] as const;

const fills: Readonly<Record<Status, string>> = [
  '#ffffff',
  '#ffffff',
  pictureColours.good,
  pictureColours.alert,
  pictureColours.danger,
];
const lines: Readonly<Record<Status, string>> = [
  pictureColours.grid,
  pictureColours.grid,
  pictureColours.goodLine,
  pictureColours.alertLine,
  pictureColours.dangerLine,
];

const [top, regionHeight, columnWidth, gap, left] = [84, 56, 150, 26, 120];
const columns = overallReadings.flatMap((reading) => ([1, 2] as const).map((type) => ({ reading, type })));
const width = left + columns.length * (columnWidth + gap) + 10;
const height = top + 5 * regionHeight + 62;

const settings: Readonly<Record<OverallReading, string>> = {
  literal: 'OVERALL_REGIONS=literal (default)',
  'alert-band': 'OVERALL_REGIONS=alert-band',
};

const columnOf = ({ reading, type }: (typeof columns)[number], index: number): ReadonlyArray<Piece> => {
  const x = left + index * (columnWidth + gap);
  const middle = { 'text-anchor': 'middle' };
  return [
    textPiece(x + columnWidth / 2, top - 14, `thresholdType ${type}`, { ...middle, 'font-weight': 600 }),
    ...overallRegions[reading][type].flatMap((status, cell): ReadonlyArray<Piece> => {
      const y = top + Math.floor(cell / 2) * regionHeight;
      return cell % 2 === 0
        ? [
            rectangle(x, y, columnWidth, regionHeight, { fill: fills[status] }),
            textPiece(x + columnWidth / 2, y + regionHeight / 2 + 5, statusNames[status], middle),
          ]
        : [];
    }),
    // The limits are drawn over the regions, because a value that equals a limit has a status of its own.
    ...overallRegions[reading][type].flatMap((status, cell): ReadonlyArray<Piece> => {
      const y = top + Math.ceil(cell / 2) * regionHeight;
      return cell % 2 === 1
        ? [
            linePiece(x, y, x + columnWidth, y, { stroke: lines[status], 'stroke-width': 4 }),
            rectangle(x + columnWidth - 74, y - 10, 70, 20, { fill: '#ffffff', stroke: lines[status], rx: 3 }),
            textPiece(x + columnWidth - 39, y + 4.5, statusNames[status], {
              ...middle,
              'font-size': 12,
              fill: lines[status],
            }),
          ]
        : [];
    }),
  ];
};

/** Draws the regions of an overall alarm from the service's rating table, for each thresholdType and OVERALL_REGIONS. */
export const overallRegionsPicture = (): string =>
  picture(width, height, 'Regions of an overall alarm for thresholdType 1 and 2, in both readings', [
    ...overallReadings.map((reading, index) =>
      textPiece(left + (2 * index + 1) * (columnWidth + gap) - gap / 2, 30, settings[reading], {
        'text-anchor': 'middle',
        'font-weight': 600,
        'font-size': 16,
      }),
    ),
    ...limits.flatMap(({ name, value }, index) => {
      const y = top + (index + 1) * regionHeight;
      return [
        textPiece(left - 12, y - 1, name, { 'text-anchor': 'end', 'font-weight': 600 }),
        textPiece(left - 12, y + 15, `here ${value}`, {
          'text-anchor': 'end',
          'font-size': 12,
          fill: pictureColours.pale,
        }),
        linePiece(left - 6, y, width - 20, y),
      ];
    }),
    ...columns.flatMap(columnOf),
    textPiece(left, height - 34, 'A label on a line is the status of the limit itself.', { fill: pictureColours.pale }),
    textPiece(left, height - 14, 'Where two limits have one value, the worse of their labels holds.', {
      fill: pictureColours.pale,
    }),
  ]);

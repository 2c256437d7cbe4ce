import * as c from '../../../codecs';
import { hardLimits } from '../../../limits';
import { keyOf } from './bearing-lookup';
import { defectOrders, Geometry, ordersOf, type DefectOrders, type ResolvedBearing } from './bearing';

const MOST_BEARINGS = 10_000;

/** No bearing has more rolling elements, or a greater ratio of pitch diameter to element diameter. */
const MOST_ELEMENTS = 1_000;
const WIDEST = 1_000;

const name = c.text(hardLimits.textLength, 1);
const entry = c.object(
  'bearing',
  { manufacturer: name, modelNumber: name },
  {
    source: c.text(hardLimits.textLength),
    geometry: Geometry,
    orders: c.object('published orders', { elements: c.positive, ...defectOrders }),
  },
);
type Entry = c.TypeOf<typeof entry>;

/** An operator's own bearings: `{"bearings": [...]}`, each by geometry or by published orders (docs/bearings.md). */
export const bearingsFile: c.Codec<ReadonlyArray<ResolvedBearing>> = c.mapped(
  c.refine(c.object('bearings file', { bearings: c.array(entry, MOST_BEARINGS) }), ({ bearings }) => {
    const known = new Set<string>();
    return bearings.flatMap((bearing, index) => {
      const key = keyOf(bearing);
      const repeated = c.reasonIf(known.has(key), 'modelNumber', 'is named twice for this manufacturer');
      known.add(key);
      return [...entryFaults(bearing), ...repeated].map(below(`bearings.${index}`));
    });
  }),
  ({ bearings }): ReadonlyArray<ResolvedBearing> => bearings.flatMap(resolved),
);

const resolved = ({ manufacturer, modelNumber, geometry, orders }: Entry): ReadonlyArray<ResolvedBearing> =>
  [
    ...(geometry === undefined ? [] : [ordersOf(geometry)]),
    ...(orders === undefined ? [] : [{ ftf: orders.ftf, bsf: orders.bsf, bpfo: orders.bpfo, bpfi: orders.bpfi }]),
  ].map((found) => ({ manufacturer, modelNumber, orders: found }));

const entryFaults = ({ geometry, orders }: Entry): c.Reasons => [
  ...c.reasonIf((geometry === undefined) === (orders === undefined), '', 'must have either geometry or orders'),
  ...(geometry === undefined ? [] : geometryFaults(geometry).map(below('geometry'))),
  ...(orders === undefined
    ? []
    : [...elementFaults(orders.elements), ...orderFaults(orders, orders.elements)].map(below('orders'))),
];

const geometryFaults = ({ elements, elementDiameter, pitchDiameter, contactAngle = 0 }: Geometry): c.Reasons => [
  ...elementFaults(elements),
  ...c.reasonIf(
    elementDiameter >= pitchDiameter || pitchDiameter > WIDEST * elementDiameter,
    'elementDiameter',
    `must be below pitchDiameter (${pitchDiameter}), by a factor of at most ${WIDEST}`,
  ),
  ...c.reasonIf(contactAngle < 0 || contactAngle >= 90, 'contactAngle', 'must be from 0 to below 90 degrees'),
];

const elementFaults = (elements: number): c.Reasons =>
  c.reasonIf(
    !Number.isInteger(elements) || elements < 2 || elements > MOST_ELEMENTS,
    'elements',
    `must be a whole number from 2 to ${MOST_ELEMENTS}`,
  );

/** The sum of published BPFO and BPFI may differ from the number of elements by this fraction of that number. */
const SUM_TOLERANCE = 0.001;

/** The cage's order is published with few digits, so the checks of `ftf` and `bsf` allow this relative error. */
const CAGE_TOLERANCE = 0.005;

/**
 * What is wrong with published `orders` of a bearing with `elements` rolling elements. Rules: `bpfo + bpfi = elements` and
 * `bpfo = elements * ftf`. With any contact angle `bsf` is at most `(1 - r^2) / 2r`, where the ratio r follows from `bpfo`.
 */
export const orderFaults = ({ ftf, bsf, bpfo, bpfi }: DefectOrders, elements: number): c.Reasons => {
  const ratio = 1 - (2 * bpfo) / elements;
  const greatestSpin = (1 - ratio ** 2) / (2 * ratio);
  return [
    ...c.reasonIf(bpfo >= bpfi, 'bpfo', `must be below bpfi (${bpfi})`),
    ...c.reasonIf(
      Math.abs(bpfo + bpfi - elements) > SUM_TOLERANCE * elements,
      'bpfi',
      `must make ${elements} (elements) together with bpfo, and makes ${rounded(bpfo + bpfi)}`,
    ),
    ...c.reasonIf(
      Math.abs(elements * ftf - bpfo) > CAGE_TOLERANCE * bpfo,
      'ftf',
      `must be bpfo divided by elements, which is ${rounded(bpfo / elements)}`,
    ),
    ...c.reasonIf(
      ratio > 0 && bsf > greatestSpin * (1 + CAGE_TOLERANCE),
      'bsf',
      `must be at most ${rounded(greatestSpin)}: is it twice the spin frequency?`,
    ),
  ];
};

const rounded = (value: number): number => Number(value.toPrecision(4));

const below =
  (parent: string) =>
  ({ name, reason }: c.Reason): c.Reason => ({ name: name === '' ? parent : `${parent}.${name}`, reason });

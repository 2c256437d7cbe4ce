import {
  array,
  finite,
  mapped,
  object,
  positive,
  refine,
  text,
  type Codec,
  type Reason,
  type TypeOf,
} from '../../../codecs';
import { hardLimits } from '../../../limits';
import { nameKey } from './bearing-index';
import { ordersOf, type DefectOrders, type Geometry } from './defect-orders';
import type { ResolvedBearing } from './resolved-bearing';

/** The most bearings of one file. */
const MOST_BEARINGS = 10_000;

/** No bearing has more rolling elements, or a greater pitch diameter beside the diameter of its elements. */
const MOST_ELEMENTS = 1_000;
const WIDEST = 1_000;

const name = text(hardLimits.textLength, 1);
const entry = object(
  'bearing',
  { manufacturer: name, modelNumber: name },
  {
    source: text(hardLimits.textLength),
    geometry: object(
      'geometry',
      { elements: positive, elementDiameter: positive, pitchDiameter: positive },
      { contactAngle: finite },
    ),
    orders: object(
      'published orders',
      { elements: positive, ftf: positive, bsf: positive, bpfo: positive, bpfi: positive },
      {},
    ),
  },
);
type Entry = TypeOf<typeof entry>;

/** An operator's own bearings: `{"bearings": [...]}`, each by its geometry or by its published orders (docs/bearings.md). */
export const bearingsFile: Codec<ReadonlyArray<ResolvedBearing>> = mapped(
  refine(object('bearings file', { bearings: array(entry, MOST_BEARINGS) }, {}), ({ bearings }) => {
    const known = new Set<string>();
    return bearings.flatMap((bearing, index) => {
      const name = `${nameKey(bearing.manufacturer)} ${nameKey(bearing.modelNumber)}`;
      const repeated = known.has(name);
      known.add(name);
      return [...entryFaults(bearing), ...(repeated ? [repeat] : [])].map(below(`bearings.${index}`));
    });
  }),
  ({ bearings }): ReadonlyArray<ResolvedBearing> => bearings.flatMap(resolved),
);

const resolved = ({ manufacturer, modelNumber, geometry, orders }: Entry): ReadonlyArray<ResolvedBearing> =>
  [
    ...(geometry === undefined ? [] : [ordersOf(geometry)]),
    ...(orders === undefined ? [] : [{ ftf: orders.ftf, bsf: orders.bsf, bpfo: orders.bpfo, bpfi: orders.bpfi }]),
  ].map((found) => ({ manufacturer, modelNumber, orders: found }));

const entryFaults = ({ geometry, orders }: Entry): ReadonlyArray<Reason> => [
  ...((geometry === undefined) === (orders === undefined) ? [eitherOr] : []),
  ...(geometry === undefined ? [] : geometryFaults(geometry).map(below('geometry'))),
  ...(orders === undefined
    ? []
    : [...elementFaults(orders.elements), ...orderFaults(orders, orders.elements)].map(below('orders'))),
];

const geometryFaults = ({
  elements,
  elementDiameter,
  pitchDiameter,
  contactAngle = 0,
}: Geometry): ReadonlyArray<Reason> => [
  ...elementFaults(elements),
  ...(elementDiameter < pitchDiameter && pitchDiameter <= WIDEST * elementDiameter
    ? []
    : [
        {
          name: 'elementDiameter',
          reason: `must be below pitchDiameter (${pitchDiameter}), by a factor of at most ${WIDEST}`,
        },
      ]),
  ...(contactAngle >= 0 && contactAngle < 90
    ? []
    : [{ name: 'contactAngle', reason: 'must be from 0 to below 90 degrees' }]),
];

const elementFaults = (elements: number): ReadonlyArray<Reason> =>
  Number.isInteger(elements) && elements >= 2 && elements <= MOST_ELEMENTS
    ? []
    : [{ name: 'elements', reason: `must be a whole number from 2 to ${MOST_ELEMENTS}` }];

/** Sums of published orders may miss the number of elements by this share. */
const SUM_TOLERANCE = 0.001;

/** The cage's order is published with few digits, so what follows from it may be off by this share. */
const CAGE_TOLERANCE = 0.005;

/**
 * What is wrong with published `orders` of a bearing of `elements` rolling elements.
 *
 * They must agree with each other: `bpfo + bpfi = elements` and `bpfo = elements * ftf`; and no contact angle gives a spin
 * greater than `(1 - r^2) / 2r`, r the ratio that follows from `bpfo`, which uncovers tables that print twice the spin.
 */
export const orderFaults = ({ ftf, bsf, bpfo, bpfi }: DefectOrders, elements: number): ReadonlyArray<Reason> => {
  const ratio = 1 - (2 * bpfo) / elements;
  const greatestSpin = (1 - ratio ** 2) / (2 * ratio);
  return [
    ...when(bpfo >= bpfi, 'bpfo', `must be below bpfi (${bpfi})`),
    ...when(
      Math.abs(bpfo + bpfi - elements) > SUM_TOLERANCE * elements,
      'bpfi',
      `must make ${elements} (elements) together with bpfo, and makes ${rounded(bpfo + bpfi)}`,
    ),
    ...when(
      Math.abs(elements * ftf - bpfo) > CAGE_TOLERANCE * bpfo,
      'ftf',
      `must be bpfo divided by elements, which is ${rounded(bpfo / elements)}`,
    ),
    ...when(
      ratio > 0 && bsf > greatestSpin * (1 + CAGE_TOLERANCE),
      'bsf',
      `must be at most ${rounded(greatestSpin)}: is it twice the spin frequency?`,
    ),
  ];
};

const when = (wrong: boolean, name: string, reason: string): ReadonlyArray<Reason> => (wrong ? [{ name, reason }] : []);

const rounded = (value: number): number => Number(value.toPrecision(4));

const eitherOr: Reason = { name: '', reason: 'must have either geometry or orders' };
const repeat: Reason = { name: 'modelNumber', reason: 'is named twice for this manufacturer' };

const below =
  (parent: string) =>
  ({ name, reason }: Reason): Reason => ({ name: name === '' ? parent : `${parent}.${name}`, reason });

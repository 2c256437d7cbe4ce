import { ordersOf, type Geometry } from './bearing';

const CWRU = 'Case Western Reserve University Bearing Data Center, "Bearing Information"';
const CURTIN = 'Curtin University, read-me of its bearing vibration data set (CC BY 4.0)';
const XJTU =
  'B. Wang, Y. Lei, N. Li and N. Li, "A hybrid prognostics approach for estimating remaining useful life of rolling element bearings", IEEE Transactions on Reliability 69 (2020): the XJTU-SY data sets';
const IMS =
  'H. Qiu, J. Lee, J. Lin and G. Yu, "Wavelet filter-based weak signature detection method and its application on rolling element bearing prognostics", Journal of Sound and Vibration 289 (2006): the IMS data sets';
const OTTAWA =
  'M. Sehri, P. Dumond and M. Bouchard, "University of Ottawa constant load and speed rolling-element bearing vibration and acoustic fault signature datasets", Data in Brief 49 (2023), table 2';
const TIMKEN = 'The Timken Company, "Ball Bearing Housed Unit Catalog", page A-13, table A-9';

const byGeometry = (manufacturer: string, modelNumber: string, inside: Geometry, source: string) => {
  const { elements } = inside;
  return { manufacturer, modelNumber, elements, orders: ordersOf(inside), source };
};

/** A bearing by published orders. BPFI and FTF follow from BPFO, which is published with more digits than FTF. */
const byOrders = (modelNumber: string, elements: number, bpfo: number, bsf: number) => {
  const orders = { ftf: bpfo / elements, bsf, bpfo, bpfi: elements - bpfo };
  return { manufacturer: 'Timken', modelNumber, elements, orders, source: TIMKEN };
};

const za2115: Geometry = { elements: 16, elementDiameter: 0.331, pitchDiameter: 2.815, contactAngle: 15.17 };
const ottawa6203: Geometry = { elements: 8, elementDiameter: 6.77, pitchDiameter: 28.5 };

/** Bearings whose geometry or orders are public. Diameters are in the source's unit; docs/known-bearings.md has a table. */
export const knownBearingRows = [
  byGeometry('SKF', '6205', { elements: 9, elementDiameter: 0.3126, pitchDiameter: 1.537 }, CWRU),
  byGeometry('SKF', '6203', { elements: 8, elementDiameter: 0.2656, pitchDiameter: 1.122 }, CWRU),
  byGeometry('MB', 'ER-16K', { elements: 9, elementDiameter: 7.9375, pitchDiameter: 38.5 }, CURTIN),
  byGeometry('LDK', 'UER204', { elements: 8, elementDiameter: 7.92, pitchDiameter: 34.55 }, XJTU),
  byGeometry('Rexnord', 'ZA-2115', za2115, IMS),
  byGeometry('NSK', '6203', ottawa6203, OTTAWA),
  byGeometry('Fafnir', '203KD', ottawa6203, OTTAWA),
  byOrders('9104', 9, 3.578, 2.339),
  byOrders('9105', 9, 3.574, 2.328),
  byOrders('9106', 11, 4.588, 2.933),
  byOrders('202K', 8, 3.125, 2.175),
  byOrders('203K', 8, 3.053, 1.994),
  byOrders('204K', 8, 3.052, 1.992),
  byOrders('205K', 9, 3.574, 2.328),
  byOrders('206K', 9, 3.568, 2.311),
  byOrders('207K', 9, 3.565, 2.303),
  byOrders('208K', 9, 3.547, 2.256),
  byOrders('209K', 9, 3.621, 2.461),
  byOrders('210K', 10, 4.093, 2.665),
  byOrders('211K', 10, 4.078, 2.62),
  byOrders('212K', 10, 4.066, 2.584),
  byOrders('213K', 10, 4.099, 2.685),
  byOrders('214K', 10, 4.104, 2.702),
  byOrders('303K', 7, 2.545, 1.696),
  byOrders('304K', 7, 2.574, 1.757),
  byOrders('307K', 8, 3.006, 1.888),
  byOrders('308K', 8, 3.023, 1.925),
  byOrders('309K', 8, 3.037, 1.955),
  byOrders('310K', 8, 3.047, 1.981),
  byOrders('311K', 8, 3.057, 2.002),
  byOrders('312K', 8, 3.064, 2.02),
  byOrders('314K', 8, 3.076, 2.05),
  byOrders('315K', 8, 3.081, 2.062),
  byOrders('316K', 8, 3.086, 2.073),
  byOrders('318K', 8, 3.093, 2.091),
  byOrders('318W', 12, 4.572, 1.982),
];

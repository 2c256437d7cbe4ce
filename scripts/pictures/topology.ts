import { arrow, colours, picture, rectangle, text, type Piece } from './svg';

const host = (x: number, y: number, name: string, below: string, stroke = '#94a3b8'): ReadonlyArray<Piece> => [
  rectangle(x, y, 150, 58, { rx: 8, fill: '#ffffff', stroke, 'stroke-width': 1.5 }),
  text(x + 75, y + 25, name, { 'text-anchor': 'middle', 'font-weight': 600 }),
  text(x + 75, y + 45, below, { 'text-anchor': 'middle', fill: colours.pale, 'font-size': 12 }),
];

const pair = (x: number, y: number, name: string, below: string, stroke?: string): ReadonlyArray<Piece> => [
  rectangle(x + 8, y + 8, 150, 58, { rx: 8, fill: '#ffffff', stroke: stroke ?? '#94a3b8', 'stroke-width': 1.5 }),
  ...host(x, y, name, below, stroke),
];

/** Which hosts a production set-up has, and who calls whom. */
export const topologyPicture = (): string =>
  picture(960, 340, 'Hosts of a production set-up, and who calls whom', [
    ...host(20, 50, 'Callers', 'gateways, dashboards'),
    ...host(215, 50, 'Balancer', 'HTTP, port 3000'),
    ...pair(410, 50, 'API', '2 or more, port 3000', colours.service),
    ...pair(410, 230, 'Worker', '2 or more, port 3001', colours.service),
    ...host(600, 50, 'Balancer', 'gRPC, port 7233', '#818cf8'),
    ...pair(785, 50, 'Temporal', '2 or more hosts', '#818cf8'),
    ...host(785, 230, 'PostgreSQL', 'state and visibility', '#818cf8'),
    ...pair(600, 230, 'Redis', 'Sentinel or Cluster', '#f87171'),
    ...host(20, 230, 'Consumers', 'groups'),
    ...host(215, 230, 'Prometheus', 'scrapes /metrics'),
    arrow([
      [170, 79],
      [213, 79],
    ]),
    arrow([
      [365, 79],
      [408, 79],
    ]),
    arrow([
      [568, 79],
      [598, 79],
    ]),
    arrow([
      [750, 79],
      [783, 79],
    ]),
    arrow([
      [864, 116],
      [864, 228],
    ]),
    arrow([
      [520, 230],
      [640, 110],
    ]),
    arrow([
      [530, 116],
      [630, 228],
    ]),
    arrow([
      [568, 262],
      [598, 262],
    ]),
    arrow([
      [365, 259],
      [408, 259],
    ]),
    arrow([
      [330, 230],
      [425, 118],
    ]),
    arrow([
      [95, 288],
      [95, 322],
      [680, 322],
      [680, 298],
    ]),
    text(380, 316, 'read the stream', { 'text-anchor': 'middle', fill: colours.pale, 'font-size': 13 }),
  ]);

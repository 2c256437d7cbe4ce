/** The units of a spectrum's x that are understood, in lower case without blanks, each by the kind it is read as. */
const kinds: Readonly<Record<string, 'hertz' | 'kilohertz' | 'perMinute' | 'thousandPerMinute' | 'orders'>> = {
  hz: 'hertz',
  hertz: 'hertz',
  '1/s': 'hertz',
  cps: 'hertz',
  khz: 'kilohertz',
  kilohertz: 'kilohertz',
  cpm: 'perMinute',
  rpm: 'perMinute',
  '1/min': 'perMinute',
  'r/min': 'perMinute',
  'rev/min': 'perMinute',
  kcpm: 'thousandPerMinute',
  order: 'orders',
  orders: 'orders',
};

/** The Hz in one `unit` of x, at a shaft speed of `shaftHz`; undefined for a unit that is not understood. */
export const hertzPer = (unit: string, shaftHz: number): number | undefined => {
  const spelling = unit.replace(/\s/gu, '').toLowerCase();
  const kind = Object.hasOwn(kinds, spelling) ? kinds[spelling] : undefined;
  switch (kind) {
    case 'hertz':
      return 1;
    case 'kilohertz':
      return 1_000;
    case 'perMinute':
      return 1 / 60;
    case 'thousandPerMinute':
      return 1_000 / 60;
    case 'orders':
      return shaftHz;
    case undefined:
      return undefined;
  }
};

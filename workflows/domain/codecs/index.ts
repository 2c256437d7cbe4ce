/** Files that describe shapes import all of this as `c`, as they do io-ts as `t`. */
export * from './codec';
export * from './scalars';
export * from './structures';

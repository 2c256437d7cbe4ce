/** Files that describe shapes import this module as `c`, just as they import io-ts as `t`. */
export * from './codec';
export * from './scalars';
export * from './structures';

export * from './codec';
export * from './scalars';
export * from './structures';

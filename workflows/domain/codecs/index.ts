export * from './codec';
export * from './instant';
export * from './rules';
export * from './scalars';
export * from './structures';

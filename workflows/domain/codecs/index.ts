export * from './codec';
export * from './instant';
export * from './scalars';
export * from './structures';

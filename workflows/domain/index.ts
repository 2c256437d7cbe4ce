/**
 * What the workflow uses of the domain. A worker loads this once and shares it, deep-frozen, between all of its nodes:
 * so no module below may hold state of its own.
 */
export * from './codecs';
export * from './node/apply-group';
export * from './node/cause';
export * from './node/commands';
export * from './node/current-details';
export * from './node/state';

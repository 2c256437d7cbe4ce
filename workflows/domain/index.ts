/**
 * The modules of the domain that the workflow uses. A worker loads them once and shares them, deep-frozen, among all of its
 * nodes. So none of these modules may hold state of its own.
 */
export * from './codecs';
export * from './node/apply-group';
export * from './node/cause';
export * from './node/commands';
export * from './node/current-details';
export * from './node/state';

/**
 * What the workflow uses of the domain. A worker loads this once and shares it, deep-frozen, between all of its nodes:
 * so no module below may hold state of its own.
 */
export * from './codecs';
export * from './commands/cause';
export * from './commands/commands';
export * from './node/apply-group';
export * from './node/describe';
export * from './node/node';
export * from './node/views';

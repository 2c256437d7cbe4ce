/**
 * What the workflow uses of the domain. A worker loads this once and shares it, deep-frozen, between all of its nodes:
 * so no module below may hold state of its own.
 */
export * from './codecs';
export * from './node/apply-commands';
export * from './node/carried';
export * from './commands/cause';
export * from './commands';
export * from './alarm/alarm-status';
export * from './node/describe-node';
export * from './node/apply-group';
export * from './node/node';
export * from './node/outbox';
export * from './node/views';
export * from './alarm/parts';
export * from './rating/unit-mismatches';

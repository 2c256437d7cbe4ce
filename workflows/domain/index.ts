/**
 * What the workflow uses of the domain. A worker loads this once and shares it, deep-frozen, between all of its nodes:
 * so no module below may hold state of its own.
 */
export * from './codecs';
export * from './node/apply-commands';
export * from './node/carried';
export * from './node/cause';
export * from './node/command';
export * from './node/describe-node';
export * from './node/hand-over';
export * from './node/node';
export * from './node/outbox';
export * from './node/views';
export * from './parts';
export * from './rating/unit-mismatches';

export * from '../../../workflows/domain/node/work-estimate';

/** Takes all commands for equally small. */
export const readingWork = (): number => 300;

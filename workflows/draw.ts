import type { Entropy } from './domain/ulid';

/** The random part of an id, for handlers. */
export const draw = (): Entropy => [Math.random(), Math.random()];

/** The same for validators: they are not replayed, so a draw there would shift all later ones. */
export const noDraw = (): Entropy => [0, 0];

import type { Reason } from '../../workflows/domain/codecs';

/** A fault of a document in one line: the field, where there is one, and why. */
export const inWords = ({ name, reason }: Reason): string => (name === '' ? reason : `${name} ${reason}`);

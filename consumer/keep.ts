/** Where the names of what a group keeps of a stream, or of one partition, begin; a hash tag of the stream is theirs as well. */
export const keepOf = (stream: string, group: string): string => `${stream}:${group}`;

/** Whether a name can be the last part of a key: with a colon the key could be that of another group, or of another stream. */
export const isKeyPart = (name: string): boolean => name !== '' && !name.includes(':');

/** What the library itself keeps of a group. */
const OWN = ['attempts', 'aside', 'last', 'trail'];

/** Whether an effect may keep texts under that name. */
export const isHashName = (name: string): boolean => isKeyPart(name) && !OWN.includes(name);
